# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibportstate takes a port down and up again; the switch reports it (trap 128) and OpenSM sweeps."""

from tests.emulator.clients import Clients
from tests.emulator.conftest import Bed
from tests.emulator.topology import discovered, graph
from tuner.documents.fabric import load_fabric
from tuner.opensm.process import OpenSm


def test_a_disabled_port_is_reported_and_its_host_is_gone_until_it_is_enabled(two_switch: Bed) -> None:
    clients = two_switch.clients
    # Without sweeps of its own accord: what OpenSM finds out, it was told.
    with clients.opensm({"sweep_interval": 0}, node="H1") as opensm:
        switch = next(switch.lid for switch in discovered(clients.output("ibnetdiscover")).switches if switch.name == "S2")
        everything = graph(load_fabric("two-switch"))
        assert _after(opensm, clients, "ibportstate", switch, 1, "disable") == {"S1", "S2", "H1", "H2", "H3", "H5", "H6", "H7"}
        assert any("trap" in line.text.lower() and "128" in line.text for line in opensm.lines)
        assert _after(opensm, clients, "ibportstate", switch, 1, "enable") == {name for _, name in everything.nodes.values()}
        assert graph(discovered(clients.output("ibnetdiscover"))) == everything
        assert opensm.errors == []


def _after(opensm: OpenSm, clients: Clients, *words: object) -> set[str]:
    """The nodes that are there when OpenSM has swept because of a command."""
    before = len(opensm.lines)
    clients.output(*words, node="H1")
    opensm.await_subnet_up(after=before)
    return {node.name for node in discovered(clients.output("ibnetdiscover", node="H1")).nodes}
