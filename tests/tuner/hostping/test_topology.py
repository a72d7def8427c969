# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paths through a host."""

import pytest

from experiments.hostping.machines import figure_2
from tuner.errors import BadInputError
from tuner.hostping.topology import HostTopology, PcieDevice


def device(name: str, socket: int = 0, *switches: str) -> PcieDevice:
    return PcieDevice(name=name, socket=socket, root_port=switches[0] if switches else f"rp-{name}", switch_links=switches)


def test_paths_of_the_papers_machine() -> None:
    topology = figure_2()
    assert topology.path("N0", "M0") == {"pcie:N0", "rp0", "memory:M0"}
    assert topology.path("N0", "M1") == {"pcie:N0", "rp0", "sockets:0-1", "memory:M1"}
    assert topology.path("N0", "G1") == {"pcie:N0", "pcie:G1"}
    assert topology.path("N0", "G2") == {"pcie:N0", "rp0", "rp1", "pcie:G2"}
    assert topology.path("N3", "G0") == {"pcie:N3", "rp3", "sockets:0-1", "rp0", "pcie:G0"}
    assert topology.affinitive_endpoints("N2") == ("M0", "M1", "G4", "G5")


def test_links_have_names_for_sentences() -> None:
    topology = HostTopology(memories={"node0": 0, "node1": 1}, adapters=[device("mlx5_0", 0, "0000:10:01.0", "0000:12:00.0")])
    assert [topology.describe(link) for link in sorted(topology.kinds)] == [
        "root port 0000:10:01.0",
        "the link below PCIe bridge 0000:12:00.0",
        "the memory of node node0",
        "the memory of node node1",
        "the PCIe link of adapter mlx5_0",
        "the bus between sockets 0-1",
    ]


def test_switches_below_switches_are_left_where_paths_part() -> None:
    topology = HostTopology(
        memories={"M0": 0}, adapters=[device("N0", 0, "rp", "a")], gpus=[device("G0", 0, "rp", "a"), device("G1", 0, "rp", "b")]
    )
    assert topology.path("N0", "G0") == {"pcie:N0", "pcie:G0"}
    assert topology.path("N0", "G1") == {"pcie:N0", "a", "b", "pcie:G1"}


def test_a_device_in_a_slot_of_the_processor_has_one_link() -> None:
    topology = HostTopology(memories={"M0": 0, "M1": 0}, adapters=[device("N0")], is_line_rate_across_sockets=False)
    assert topology.path("N0", "M1") == {"pcie:N0", "memory:M1"}
    assert topology.is_affinitive("N0", "M1")


def test_another_sockets_memory_is_not_affinitive_where_the_model_says_so() -> None:
    topology = HostTopology(memories={"M0": 0, "M1": 1}, adapters=[device("N0")], is_line_rate_across_sockets=False)
    assert topology.affinitive_endpoints("N0") == ("M0",)


def test_two_things_of_one_name_and_a_socket_without_memory_are_refused() -> None:
    with pytest.raises(BadInputError, match="'M0' stands twice"):
        HostTopology(memories={"M0": 0}, adapters=[device("M0")])
    with pytest.raises(BadInputError, match="'N0' is at socket 3; sockets with memory are \\[0\\]"):
        HostTopology(memories={"M0": 0}, adapters=[device("N0", 3)])
