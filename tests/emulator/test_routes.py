# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibroute and ibtracert agree with the forwarding tables that the switches hold."""

import random

import pytest

from tests.emulator.conftest import Emulate
from tests.emulator.routes import by_tables, entries, traced
from tests.emulator.topology import discovered
from tuner.documents.fabric import End
from tuner.fabric.topologies.base import generate


@pytest.mark.parametrize("engine", ["minhop", "ftree", "dfsssp"])
def test_traced_routes_are_those_of_the_tables(emulate: Emulate, engine: str) -> None:
    fabric = generate("k-ary-n-tree", k=4, n=3)
    bed = emulate(fabric)
    clients = bed.clients
    with clients.opensm({"routing_engine": engine}) as opensm:
        assert opensm.engine == engine
        found = discovered(clients.output("ibnetdiscover"))
        lids = {node.guid: node.lid for node in found.nodes}
        switch_lids = {i: lids[fabric.guid_of(i)] for i, _ in enumerate(fabric.switches)}
        printed = {i: entries(clients.output("ibroute", lid)) for i, lid in switch_lids.items()}
        held = {device["node"]: device["forwarding"] for device in bed.emulated.emulator.tables() if "forwarding" in device}
        assert printed == {i: {lid: out for lid, out in enumerate(table) if out != 255} for i, table in held.items()}
        hosts = range(len(fabric.switches), len(fabric.nodes))
        for source, destination in random.Random(1).sample([(a, b) for a in hosts for b in hosts if a != b], 12):
            slid, dlid = (lids[fabric.guid_of(host)] for host in (source, destination))
            assert dlid is not None
            path = by_tables(fabric, printed, End(source, 1), dlid)
            assert traced(clients.output("ibtracert", slid, dlid), fabric) == path
