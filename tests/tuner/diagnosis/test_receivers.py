# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host that withholds credits: loaded, misconfigured, or not known, by what is read of its inside."""

import copy
from typing import Any

import pytest

from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.hostping.scripted import ScriptedLauncher, hello, topology_event, use_event
from tuner.diagnosis.evidence import InsideSeen, PortSeen
from tuner.diagnosis.of_agents import inside_of, insides, pcie_gbps
from tuner.diagnosis.receivers import slow_receiver
from tuner.documents.inventory import load_inventory
from tuner.errors import BadInputError
from tuner.hosts.launchers.base import Event, Request

PORT = PortSeen(name="L1/1", peer="H1/1", to_host=True, wait_share=0.5, sent_gbps=40.0, line_gbps=97.0)


@pytest.mark.parametrize(
    ("inside", "kind", "says"),
    [
        (None, "slow-receiver", "its inside was not read"),
        (InsideSeen(), "slow-receiver", "how busy its memory is was not read"),
        (InsideSeen(without_credits_share=0.4), "slow-receiver", "how busy its memory is was not read"),
        (InsideSeen(without_credits_share=0.4, load_gbytes_per_s=1.0), "host-misconfigured", "memory has room to spare"),
        (InsideSeen(without_credits_share=0.4, load_gbytes_per_s=60.0), "slow-receiver", "serves 60.0 GB/s beside"),
        (InsideSeen(without_credits_share=0.02, load_gbytes_per_s=1.0), "slow-receiver", "2% of the time"),
        (InsideSeen(pcie_gbps=54.8, load_gbytes_per_s=60.0), "host-misconfigured", "carries 54.8 Gb/s, less than the 97.0"),
        (InsideSeen(pcie_gbps=109.6, load_gbytes_per_s=60.0), "slow-receiver", "serves 60.0 GB/s"),
        (InsideSeen(faults=("PCI device x negotiated x4",)), "host-misconfigured", "PCI device x negotiated x4"),
        (
            InsideSeen(without_credits_share=0.4, load_gbytes_per_s=60.0, memory_gbytes_per_s=90.0),
            "host-misconfigured",
            "60.0 of 90.0 GB/s",
        ),
        (
            InsideSeen(without_credits_share=0.4, load_gbytes_per_s=80.0, memory_gbytes_per_s=90.0),
            "slow-receiver",
            "80.0 of 90.0 GB/s",
        ),
    ],
)
def test_what_is_read_of_the_inside_decides(inside: InsideSeen | None, kind: str, says: str) -> None:
    fault = slow_receiver(PORT, inside)
    assert (fault.kind, fault.place) == (kind, "H1")
    assert says in " ".join(fault.evidence)
    assert fault.next_step


@pytest.mark.parametrize(
    ("speed", "width", "gbps"),
    [
        ("8.0 GT/s PCIe", 16, 110),
        ("16.0 GT/s PCIe", 16, 219),
        ("32.0 GT/s PCIe", 16, 438),
        ("8.0 GT/s PCIe", 8, 55),
        ("5.0 GT/s PCIe", 8, 28),
    ],
)
def test_a_pcie_link_carries_what_pcie_model_says(speed: str, width: int, gbps: float) -> None:
    """The first three are those of pcie-model at payloads of 512 bytes."""
    assert pcie_gbps(speed, width) == pytest.approx(gbps, rel=0.01)


def test_a_speed_that_is_unknown_is_none() -> None:
    assert pcie_gbps("Unknown", 16) is None
    assert pcie_gbps("8.0 GT/s PCIe", 0) is None


@pytest.fixture(scope="module")
def topology(tmp_path_factory: pytest.TempPathFactory) -> Event:
    return topology_event(tmp_path_factory.mktemp("one"), MadeUpHost(sockets=(0,), adapters=(0,), gpus=(), has_switches=False))


def used(**more: Any) -> Event:
    return use_event(seconds=1.0, **more)


def test_agents_tell_stalls_memory_and_the_pcie_link(topology: Event) -> None:
    seen = inside_of(
        topology, used(memory_gbps={"mon_L3_00": 8.0, "mon_L3_01": 240.0}, cards={"ib0": {"outbound_pci_stalled_wr_events": 1}})
    )
    assert (seen.without_credits_share, seen.load_gbytes_per_s) == (0.3, 30.0)
    assert seen.pcie_gbps == pytest.approx(219, rel=0.01)
    assert (seen.memory_gbytes_per_s, seen.faults) == (None, ())


def test_what_an_agent_does_not_count_is_not_known(topology: Event) -> None:
    seen = inside_of(topology, used(cards={"ib0": {"rx_discards_phy": 5}}))
    assert (seen.without_credits_share, seen.load_gbytes_per_s) == (None, None)


def test_a_link_that_negotiated_less_is_a_fault(topology: Event) -> None:
    narrow = copy.deepcopy(topology)
    bridge = narrow["adapters"][0]["bridges"][-1]
    narrow["pci"][bridge]["link"] = {**narrow["pci"][bridge]["link"], "current_link_width": "2"}
    seen = inside_of(narrow, used())
    assert "it can do 16.0 GT/s PCIe x16" in seen.faults[0]
    assert slow_receiver(PORT, seen).kind == "host-misconfigured"


@pytest.mark.parametrize(
    "said",
    [
        {"cards": []},
        {"memory_gbps": {"a": "much"}},
        {"memory_gbps": {"a": -1}},
        {"cards": {"a": {"outbound_pci_stalled_wr_events": True}}},
    ],
)
def test_what_no_agent_sends_is_refused(topology: Event, said: dict[str, Any]) -> None:
    with pytest.raises(BadInputError, match="its agent sent what cannot be read"):
        inside_of(topology, used(**said))


def test_a_host_whose_agent_fails_costs_its_own_alone(topology: Event) -> None:
    def answer(node: str, request: Request) -> list[Event] | str:
        if node == "node2":
            return "ssh: no route to host"
        return [hello(), topology if request["op"] == "topology" else used()]

    hosts = tuple(load_inventory("two-switch").by_node.values())[:2]
    known, silent = insides(ScriptedLauncher(answer), hosts, 0.1)
    assert known.keys() == {"H1"}
    assert silent == {"H2": "ssh: no route to host"}
