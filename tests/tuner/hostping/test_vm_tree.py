# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The PCIe tree of a virtual machine, as the agent there reads it from the kernel: the graph of the host is what QEMU was asked
for."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.perftest_mods.vm.machine import Machine
from tests.perftest_mods.vm.pci_tree import CARDS
from tests.tuner.hostping.vm_host import answer, pinged, slower_by
from tuner.hostping.baselines import HostBaselines
from tuner.hostping.diagnosis import HostVerdict
from tuner.hostping.ping_document import host_document
from tuner.hostping.reading import HostInside, read_inside
from tuner.hostping.topology import LinkKind, device_link, memory_link, socket_bus
from tuner.hosts.launchers.base import Event

BRIDGE, NETWORK_CARD = "0x060400", "0x020000"
NOBODY = ("setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--")


@pytest.fixture(scope="module")
def told(machine_with_tree: Machine, root: Path) -> Event:
    """What the agent says to a plain user."""
    return answer(machine_with_tree, root, {"op": "topology"}, user=NOBODY)


@pytest.fixture(scope="module")
def inside(told: Event) -> HostInside:
    return read_inside(told)


def chain(told: Event, device: str) -> Sequence[str]:
    (bridges,) = [adapter["bridges"] for adapter in told["adapters"] if adapter["name"] == device]
    found: Sequence[str] = bridges
    return found


@pytest.mark.thorough
def test_bridges_links_and_numa_nodes_are_those_that_qemu_was_asked_for(told: Event) -> None:
    first, second, third = (chain(told, f"rxe{number}") for number in range(3))
    # Root port, the switch's upstream port, its downstream port, card; the third is plugged into a root port.
    assert [told["pci"][at]["class"] for at in first] == [BRIDGE, BRIDGE, BRIDGE, NETWORK_CARD]
    assert (first[:2], first[2] == second[2]) == (second[:2], False)
    assert [told["pci"][at]["class"] for at in third] == [BRIDGE, NETWORK_CARD]
    assert third[0] != first[0]
    assert [told["pci"][at]["numa_node"] for at in (*first, *second, *third)] == [0] * 8 + [1] * 2
    assert [told["pci"][at]["cpus"] for at in (first[-1], third[-1])] == ["0", "1"]
    # QEMU's root ports can do 16 GT/s on 32 lanes, and its cards have one of 2.5.
    link = {"current_link_speed": "2.5 GT/s PCIe", "current_link_width": "1"}
    for port in (first[0], third[0]):
        assert told["pci"][port]["link"] == {**link, "max_link_speed": "16.0 GT/s PCIe", "max_link_width": "32"}
    assert {node["node"]: node["socket"] for node in told["numa_nodes"]} == {0: 0, 1: 1}


@pytest.mark.thorough
def test_what_a_plain_user_may_not_read_root_may(told: Event, machine_with_tree: Machine, root: Path) -> None:
    (part,) = told["not_readable"]
    assert part["command"] == "lspci -vvv"
    assert {facts["control"] for facts in told["pci"].values()} == {None}
    by_root = answer(machine_with_tree, root, {"op": "topology"})
    assert by_root["not_readable"] == []
    port = chain(by_root, "rxe0")[0]
    # The kernel turns ACS on only where an IOMMU is, and this machine has none.
    assert (by_root["pci"][port]["control"]["acs"], by_root["pci"][port]["control"]["max_payload_bytes"]) == (False, 128)
    shared = [{key: value for key, value in facts.items() if key != "control"} for facts in by_root["pci"].values()]
    assert shared == [{key: value for key, value in facts.items() if key != "control"} for facts in told["pci"].values()]


@pytest.mark.thorough
def test_the_graph_has_root_ports_a_switch_and_the_bus_between_sockets(told: Event, inside: HostInside) -> None:
    shared_port = chain(told, "rxe0")[0]
    topology = inside.topology
    assert topology.kinds == {
        memory_link("node0"): LinkKind.MEMORY,
        memory_link("node1"): LinkKind.MEMORY,
        socket_bus(0, 1): LinkKind.SOCKET_BUS,
        shared_port: LinkKind.ROOT_PORT,
        **{device_link(f"rxe{number}"): LinkKind.ADAPTER for number in range(3)},
    }
    far = {shared_port, socket_bus(0, 1), memory_link("node1")}
    for device in ("rxe0", "rxe1"):
        assert topology.path(device, "node0") == {device_link(device), shared_port, memory_link("node0")}
        assert topology.path(device, "node1") == {device_link(device)} | far
    assert topology.path("rxe2", "node1") == {device_link("rxe2"), memory_link("node1")}
    assert topology.path("rxe2", "node0") == {device_link("rxe2"), socket_bus(0, 1), memory_link("node0")}
    assert sorted(inside.degraded) == sorted(
        f"PCI device {port} negotiated 2.5 GT/s PCIe x1; it can do 16.0 GT/s PCIe x32"
        for port in (shared_port, chain(told, "rxe2")[0])
    )


@pytest.mark.slow
def test_slow_paths_below_a_root_port_blame_no_link_of_a_normal_path(
    told: Event, inside: HostInside, machine_with_tree: Machine, root: Path
) -> None:
    """Which of the links there, is left to chance: soft RoCE's own rates differ by more than what tells links apart."""
    port = chain(told, "rxe0")[0]
    baselines = HostBaselines(models=(slower_by(inside, port),))
    row = pinged(machine_with_tree, root, busy_cores=1.0, address=CARDS[0].address, baselines=baselines)
    assert row.verdict is HostVerdict.SLOW, (row.sentence, row.measured)
    document = host_document(row)
    cells = document["cells"]
    assert all(cell["state"] == ("normal" if cell["adapter"] == "rxe2" else "abnormal") for cell in cells), cells
    states = {link["link"]: link["state"] for link in document["links"]}
    blamed = {link for link, state in states.items() if state in ("abnormal", "cannot-be-told-apart")}
    cleared = {
        link for cell in cells if cell["state"] == "normal" for link in inside.topology.path(cell["adapter"], cell["endpoint"])
    }
    assert not blamed & cleared, states
    assert blamed or "grey" in states.values(), states
