# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which hosts' counters ask for tests, from replies of made-up switches and agents."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.tuner.hostping.scripted import ScriptedLauncher, error, hello, use_event
from tuner.checks.links.ports import Ability, Port, links_of
from tuner.document_base.model import build_model
from tuner.documents.inventory import Inventory
from tuner.errors import BadInputError
from tuner.host_triggers.own_counters import own_counters, read_own
from tuner.host_triggers.switch_ports import SwitchPorts, ports_to_hosts
from tuner.host_triggers.triggers import HostTrigger
from tuner.mads.client import Read
from tuner.mads.request import Reply, Request

EDR = Ability(width=4, speed="EDR")
TICKS_A_SECOND = 1e9 / (32 * 8 / 25)
"""Of a switch that counts 32 bytes of a lane."""


def port(guid: int, number: int, peer: tuple[int, int], *, switch: bool) -> Port:
    return Port(
        guid=f"0x{guid:016x}", number=number, is_switch=switch, description="leaf" if switch else f"H{guid}", lid=guid,
        peer=(f"0x{peer[0]:016x}", peer[1]), state="active", physical="linkup", active=EDR, enabled=EDR, supported=EDR,
    )  # fmt: skip


def fabric(hosts: int) -> list[Port]:
    pairs = [(port(100, n, (n, 1), switch=True), port(n, 1, (100, n), switch=False)) for n in range(1, hosts + 1)]
    return [end for pair in pairs for end in pair]


@dataclass
class Switch:
    """A reader whose switch counts, by port, Gb/s, share of waiting and discards; a second passes at each reading of counters."""

    gbps: dict[int, float]
    waits: dict[int, float]
    discards: dict[int, int] = field(default_factory=dict)
    extended: bool = True
    second: int = 0
    cleared_at: int | None = None

    def read(self, requests: Sequence[Request]) -> list[Read]:
        if any(request.attribute == 0x1D for request in requests):
            self.second = 0 if self.second == self.cleared_at else self.second + 1
        return [Read(self.reply(request), 0.0) for request in requests]

    def reply(self, request: Request) -> Reply:
        data = bytearray(192)
        number = request.data[1] if len(request.data) > 1 else 0
        ticks = round(self.second * self.waits.get(number, 0) * TICKS_A_SECOND)
        discarded = self.second * self.discards.get(number, 0)
        match request.attribute:
            case 0x0001:
                data[2:4] = (1 << 12).to_bytes(2, "big")
                data[4:8] = ((1 << 1 if self.extended else 0) << 5).to_bytes(4, "big")
            case 0x0010:
                data[2] = 31
            case 0x001D:
                data[8:16] = round(self.second * self.gbps.get(number, 0) * 1e9 / 8 / 4).to_bytes(8, "big")
                data[120:128] = discarded.to_bytes(8, "big")
                data[168:176] = ticks.to_bytes(8, "big")
            case 0x0012:
                data[14:16] = min(discarded, 0xFFFF).to_bytes(2, "big")
                data[40:44] = min(ticks, 0xFFFFFFFF).to_bytes(4, "big")
            case other:
                raise AssertionError(other)
        return Reply(0, bytes(data))


@pytest.fixture(autouse=True)
def seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each reading is a second after the one before."""
    clock = iter(range(10**6))
    monkeypatch.setattr("tuner.host_triggers.switch_ports.time.monotonic", lambda: float(next(clock)))


def inventory(hosts: int) -> Inventory:
    rows = [{"nodes": f"n{n}", "host": f"H{n}"} for n in range(1, hosts + 1)]
    return build_model(Inventory, {"ibcc_inventory": 1, "name": "s", "fabric": "f", "launcher": {"kind": "local"}, "hosts": rows})


def watched(switch: Any, hosts: int, windows: int = 2) -> list[HostTrigger]:
    read = inventory(hosts)
    ends = ports_to_hosts(links_of(fabric(hosts)), {host.host: None for host in read.by_node.values()})
    seen = SwitchPorts(switch, ends).watch(windows, pause=lambda seconds: None)
    return [HostTrigger(host=host, port=seen.get(host.host), own=None) for host in read.by_node.values()]


@pytest.mark.parametrize("extended", [True, False])
def test_a_port_that_waits_while_its_host_receives_little_is_a_trigger(extended: bool) -> None:
    """H1 withholds credits; H2 is full, so its port waits for the link; H3 waits just below the limit; H4 is idle."""
    switch = Switch(
        gbps={1: 40.0, 2: 99.0, 3: 40.0}, waits={1: 0.031, 2: 0.5, 3: 0.029}, extended=extended
    )  # fmt: skip
    first, second, third, fourth = watched(switch, 4)
    assert [row.reasons for row in (second, third, fourth)] == [[], [], []]
    (reason,) = first.reasons
    assert reason.startswith("leaf/1 waits 3.1 % of a second to send to it, and it receives 40.0 of 100.0 Gb/s")
    assert first.worst is not None
    assert first.worst.wait_share == pytest.approx(0.031, rel=1e-3)
    assert fourth.sentence == "n4: its counters do not ask for tests."


def test_discards_of_the_switch_are_one() -> None:
    (row,) = watched(Switch(gbps={1: 1.0}, waits={}, discards={1: 3}), 1, windows=2)
    assert row.reasons == ["leaf/1 discarded 6 packets for it"]


def test_a_counter_that_is_cleared_in_between_says_nothing() -> None:
    (row,) = watched(Switch(gbps={1: 1.0}, waits={1: 0.5}, cleared_at=1), 1, windows=1)
    assert (row.reasons, row.is_known) == ([], False)
    assert "counts no PortXmitWait" in row.sentence


def test_a_switch_that_does_not_answer_says_nothing() -> None:
    class Dead:
        def read(self, requests: Sequence[Request]) -> list[Read]:
            return [Read(Reply(None), 0.0) for _ in requests]

    (row,) = watched(Dead(), 1)
    assert (row.reasons, row.is_known) == ([], False)


def test_hosts_by_guid_and_hosts_that_the_fabric_has_not() -> None:
    links = links_of(fabric(3))
    found = ports_to_hosts(links, {"guid:0x2": 2, "guid:0x4": 4, "H1": None, "H9": None, "guid:0x9": 9})
    assert {name: peer.description for name, (_, peer) in found.items()} == {
        "guid:0x2": "H2",
        "guid:0x4": "H3",  # the GUID of port 1 of node 3
        "H1": "H1",
    }
    (row, *_) = watched(Switch(gbps={}, waits={}), 1)
    lost = HostTrigger(host=row.host, port=None, own=None)
    assert "the fabric has no link to it" in lost.sentence


def used(counters: dict[str, int], card: dict[str, int]) -> dict[str, Any]:
    ports = [{"device": "mlx5_0", "port": 1, "sent_gbps": 1, "received_gbps": 1, "counters": counters}]
    return use_event(seconds=2.0, ports=ports, cards={"ib0": card})


def test_drops_and_pauses_of_the_host() -> None:
    launcher = ScriptedLauncher(
        lambda node, request: {
            "n1": [hello(), used({"out_of_buffer": 5, "port_xmit_wait": 9}, {"rx_discards_phy": 0})],
            "n2": [hello(), used({}, {"tx_prio3_pause_duration": 60_000, "tx_prio4_pause_duration": 10})],
            "n3": [hello(), used({}, {"tx_prio3_pause_duration": 59_000})],
            "n4": [hello(), error("the request's op is 'use'; there are check, run")],
        }[node]
    )
    read = inventory(4)
    found = own_counters(launcher, tuple(read.by_node.values()), 2.0)
    rows = [HostTrigger(host=host, port=None, own=found[host.node]) for host in read.by_node.values()]
    assert [row.reasons for row in rows] == [
        ["it drops: out_of_buffer 5"], ["it pauses its senders 3.0 % of the time"], [], [],
    ]  # fmt: skip
    assert [row.is_known for row in rows] == [True, True, True, False]
    assert "its agent is too old for 'use'" in rows[3].sentence


@pytest.mark.parametrize(
    "wrong", [{"seconds": 0}, {"seconds": "1"}, {"ports": [{}]}, {"ports": 3}, {"cards": {"a": {"b": "c"}}}, {"cards": []}]
)
def test_agents_that_lie_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="cannot be read"):
        read_own({**used({}, {}), **wrong})
