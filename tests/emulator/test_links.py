# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""ibportstate takes a port down and up again; the switch reports it (trap 128) and OpenSM sweeps."""

from tests.emulator.clients import Clients
from tests.emulator.conftest import Bed
from tests.emulator.topology import discovered, graph
from tuner.opensm.process import OpenSm


def test_a_disabled_port_is_reported_and_what_is_behind_it_is_gone_until_it_is_enabled(two_switch: Bed) -> None:
    clients = two_switch.clients
    # It sweeps of its own accord once an hour: what it finds out, it was told.
    with clients.opensm({"sweep_interval": 3600}, node="H1") as opensm:
        everything = graph(two_switch.fabric)
        assert graph(discovered(clients.output("ibnetdiscover", node="H1"))) == everything
        lid = next(switch.lid for switch in discovered(clients.output("ibnetdiscover")).switches if switch.name == "S2")
        # When a Set disables a port, the switch at the other end reports it (IBA vol. 1, 14.2.5.4: PortStateChange).
        assert _after(opensm, clients, "ibportstate", lid, 19, "disable") == {"S1", "H1", "H2", "H3"}
        assert _after(opensm, clients, "ibportstate", lid, 19, "enable") == {name for _, name in everything.nodes.values()}
        assert graph(discovered(clients.output("ibnetdiscover", node="H1"))) == everything
        told = [text for text in opensm.errors if "Received Generic Notice type:1 num:128 (Link state change)" in text]
        assert len(told) >= 2
        # S2 has kept the LID under which it comes back, and OpenSM has forgotten whose it is.
        others = [text for text in opensm.errors if text not in told]
        assert all("ERR 7504: Lid is out of range" in text or "ERR 3809" in text for text in others), others


def _after(opensm: OpenSm, clients: Clients, *words: object) -> set[str]:
    """The nodes that are there when OpenSM has swept because of a command."""
    before = len(opensm.lines)
    clients.output(*words, node="H7")
    opensm.await_subnet_up(after=before)
    return {node.name for node in discovered(clients.output("ibnetdiscover", node="H1")).nodes}
