# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What agents say becomes a topology, whatever they say."""

import copy
import random
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from experiments.hostping.machines import figure_2
from tests.perftest_mods.agent.made_up_sysfs import MadeUpHost
from tests.tuner.hostping.scripted import topology_event, use_event
from tuner.errors import BadInputError
from tuner.hostping.reading import busy_adapters, read_inside, read_use

GOOD: dict[str, Any] = {}


@pytest.fixture(scope="module", autouse=True)
def good(tmp_path_factory: pytest.TempPathFactory) -> None:
    GOOD["topology"] = topology_event(tmp_path_factory.mktemp("good"), MadeUpHost())


def test_the_papers_machine_is_read_as_it_is() -> None:
    inside = read_inside(copy.deepcopy(GOOD["topology"]))
    ours, drawn = inside.topology, figure_2()
    names = dict(zip(drawn.adapter_names, ours.adapter_names, strict=True)) | dict(
        zip(drawn.endpoints, ours.endpoints, strict=True)
    )
    for adapter in drawn.adapter_names:
        for endpoint in drawn.endpoints:
            path = ours.path(names[adapter], names[endpoint])
            assert len(path) == len(drawn.path(adapter, endpoint)), (adapter, endpoint)
            assert ours.is_affinitive(names[adapter], names[endpoint]) == drawn.is_affinitive(adapter, endpoint)
    assert inside.memory_nodes == {"node0": 0, "node1": 1}
    assert [(port.name, port.line_gbps, port.why_not) for port in inside.ports][:1] == [("mlx5_0", 200.0, None)]
    assert inside.model.endswith("2 NUMA nodes, 4 MT_0000000224, 8 GPUs")
    assert inside.not_readable[0]["command"] == "lspci -vvv"


def test_two_ports_of_one_card_share_its_link(tmp_path: Path) -> None:
    event = topology_event(tmp_path, MadeUpHost(sockets=(0,), adapters=(0, 0), gpus=(), has_switches=False))
    first, second = (adapter["bridges"] for adapter in event["adapters"])
    second[-1] = first[-1][:-1] + "1"
    event["pci"][second[-1]] = event["pci"][first[-1]]
    topology = read_inside(event).topology
    assert topology.path("mlx5_0", "node0") & topology.path("mlx5_1", "node0") == {"0000:10:01.0", "memory:node0"}


def test_links_that_negotiated_less_than_they_can_are_told_of_adapters_alone() -> None:
    event = copy.deepcopy(GOOD["topology"])
    (adapter, gpu) = event["adapters"][0]["bridges"][-1], event["gpus"][0]["bridges"][-1]
    for name in (adapter, gpu):
        event["pci"][name]["link"] = {**event["pci"][name]["link"], "current_link_width": "8"}
    assert read_inside(event).degraded == [f"PCI device {adapter} negotiated 16.0 GT/s PCIe x8; it can do 16.0 GT/s PCIe x16"]


def test_devices_below_one_switch_in_groups_of_their_own_mean_acs() -> None:
    event = copy.deepcopy(GOOD["topology"])
    assert read_inside(event).redirected == []
    for device in event["adapters"] + event["gpus"]:
        event["pci"][device["bridges"][-1]]["iommu_group"] = str(device["bridges"][0][5])  # one group a root port
    assert read_inside(event).redirected == []
    event["pci"][event["gpus"][0]["bridges"][-1]]["iommu_group"] = "99"
    bridge = event["adapters"][3]["bridges"][2]
    event["pci"][bridge]["control"] = {"acs": True}
    assert read_inside(event).redirected == [
        f"ACS is on in PCIe bridge {bridge}",
        "devices below root port 0000:10:01.0 are in different IOMMU groups, so ACS is on there",
    ]


def test_adapters_with_a_twentieth_of_line_rate_are_busy() -> None:
    ports = read_inside(copy.deepcopy(GOOD["topology"])).ports
    event = use_event(ports=[
        {"device": "mlx5_0", "sent_gbps": 9.9, "received_gbps": 1}, {"device": "mlx5_1", "sent_gbps": None, "received_gbps": 10},
        {"device": "mlx5_2", "sent_gbps": None, "received_gbps": None},
    ])  # fmt: skip
    assert busy_adapters(read_use(event), ports) == {"mlx5_1"}


def places(value: Any, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    found = [here]
    for key, inner in value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ():
        found += places(inner, (*here, key))
    return found


@given(
    st.integers(0, 1 << 32), st.sampled_from([None, True, -1, 1e300, 10**30, "", "x" * 300, "../..", [], {}, [None], "\u202e"])
)
def test_any_value_in_any_place_is_read_or_refused(seed: int, value: Any) -> None:
    event = copy.deepcopy(GOOD["topology"])
    drawn = random.Random(seed)
    place = drawn.choice(places(event)[1:])
    inner = event
    for key in place[:-1]:
        inner = inner[key]
    inner[place[-1]] = value
    try:
        assert read_inside(event).topology.kinds
    except BadInputError:
        return


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.floats() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_any_use_is_read_or_refused(value: Any) -> None:
    for key in ("cpus", "ports"):
        try:
            read_use(use_event(**{key: value}))
        except BadInputError:
            continue
