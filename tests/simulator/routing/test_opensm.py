# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A real OpenSM as witness for the simulator's routings: tests/data/opensm tells how its tables were made."""

import re
from collections import Counter
from itertools import permutations
from pathlib import Path

import pytest

from tuner.documents.fabric import FabricDocument, Switch
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.importers.base import import_fabric

_SWITCH = re.compile(r"Unicast lids .* guid 0x([0-9a-f]+)")
_ENTRY = re.compile(r"0x([0-9a-f]{4}) ([0-9]{3}) ")


@pytest.fixture
def data(root: Path) -> Path:
    return root / "tests/data/opensm"


def document(data: Path, net: str) -> FabricDocument:
    return import_fabric(data / net / "ibnetdiscover.txt", mtu_bytes=2048).fabric


def ours(fabric: FabricDocument, routing: str, **changes: object) -> BuiltFabric:
    return build(fabric.model_copy(update={"routing": routing, **changes}))


def opensms(data: Path, net: str, engine: str) -> BuiltFabric:
    """The fabric with the tables of OpenSM."""
    fabric = document(data, net)
    built = ours(fabric, "tables")
    switches = {fabric.guid_of(i): i for i in range(len(fabric.switches))}
    endports = {host.lid: built.fabric.endport(i, 1) for i, host in enumerate(fabric.hosts, start=len(fabric.switches))}
    switch = None
    entries = 0
    for line in (data / net / f"{engine}.lfts.dump").read_text().splitlines():
        if match := _SWITCH.match(line):
            switch = switches[int(match[1], 16)]
        elif (match := _ENTRY.match(line)) and int(match[1], 16) in endports:
            assert switch is not None
            built.fabric.set_forward(switch, endports[int(match[1], 16)], int(match[2]))
            entries += 1
    assert entries == len(switches) * len(endports)
    return built


def lengths(built: BuiltFabric) -> dict[tuple[int, int], int]:
    """Hops by source and destination."""
    endports = range(len(built.fabric.endports))
    return {pair: len(built.fabric.route(*pair)) for pair in permutations(endports, 2)}


def by_guid(fabric: FabricDocument, guid: int) -> str:
    return next(f"guid:0x{guid:x}" for i, _ in enumerate(fabric.switches) if fabric.guid_of(i) == guid)


@pytest.mark.parametrize("net", ["ring", "fat-tree"])
def test_minhop_routes_are_as_long_as_opensms(data: Path, net: str) -> None:
    assert lengths(ours(document(data, net), "minhop")) == lengths(opensms(data, net, "minhop"))


def test_updown_routes_on_a_ring_are_as_long_as_opensms(data: Path) -> None:
    fabric = document(data, "ring")
    root = by_guid(fabric, int((data / "ring/roots.txt").read_text(), 16))
    assert lengths(ours(fabric, "updown", roots=(root,))) == lengths(opensms(data, "ring", "updn"))


@pytest.mark.parametrize(("routing", "engine"), [("updown", "updn"), ("dmodk", "ftree"), ("minhop", "minhop")])
def test_routes_on_a_fat_tree_are_as_long_as_opensms(data: Path, routing: str, engine: str) -> None:
    assert lengths(ours(document(data, "fat-tree"), routing)) == lengths(opensms(data, "fat-tree", engine))


def test_dimension_order_is_as_long_as_torus_2qos(data: Path) -> None:
    assert lengths(dor(data)) == lengths(opensms(data, "torus", "torus-2QoS"))


@pytest.mark.parametrize(
    ("net", "engine"), [("ring", "updn"), ("fat-tree", "updn"), ("fat-tree", "ftree"), ("fat-tree", "minhop")]
)
def test_what_opensm_knows_to_be_free_of_credit_loops_is(data: Path, net: str, engine: str) -> None:
    assert opensms(data, net, engine).fabric.credit_loop() is None


@pytest.mark.parametrize(("net", "engine"), [("ring", "minhop"), ("torus", "torus-2QoS")])
def test_what_has_loops_without_service_levels_has(data: Path, net: str, engine: str) -> None:
    """OpenSM's minhop does not look for loops; torus-2QoS avoids them by SLs, which its forwarding tables do not hold."""
    assert opensms(data, net, engine).fabric.credit_loop() is not None


def test_path_sls_and_sl_to_vl_tables_do_for_dimension_order_what_they_do_for_torus_2qos(data: Path) -> None:
    assert dor(data).fabric.credit_loop() is None


@pytest.mark.parametrize(
    ("routing", "engine", "links", "busiest"),
    [("minhop", "minhop", 72, 54), ("updown", "updn", 72, 54), ("dmodk", "ftree", 108, 24)],
)
def test_links_of_a_fat_tree_are_loaded_as_by_opensm(data: Path, routing: str, engine: str, links: int, busiest: int) -> None:
    """How many directions of links between switches are used, and how many pairs of hosts the busiest carries. Both
    minhops balance each switch for itself: what leaf 0 sends to the first middle switch, that one sends to its first top."""
    for built in (ours(document(data, "fat-tree"), routing), opensms(data, "fat-tree", engine)):
        fabric = built.fabric
        pairs = permutations(range(len(fabric.endports)), 2)
        loads = Counter(hop for pair in pairs for hop in fabric.route(*pair)[:-1] if fabric.node_kind(hop[0]) == "switch")
        assert (len(loads), max(loads.values())) == (links, busiest)


def dor(data: Path) -> BuiltFabric:
    """The torus with the coordinates that its switches' names hold: S32 is at (3, 2)."""
    fabric = document(data, "torus")
    switches = tuple(_placed(switch) for switch in fabric.switches)
    return ours(fabric, "dor", switches=switches)


def _placed(switch: Switch) -> Switch:
    return switch.model_copy(update={"at": tuple(int(digit) for digit in switch.name[1:])})
