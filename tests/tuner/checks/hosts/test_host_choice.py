# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of the choice of a night's hosts, on fabrics that ibcc brings along."""

from collections.abc import Sequence
from typing import Any

import pytest

from tuner.checks.hosts.choice import Chooser, turn
from tuner.checks.hosts.load import offered_gbps
from tuner.checks.hosts.need import HostNeed
from tuner.document_base.model import build_model
from tuner.documents.check_hosts import CheckHosts
from tuner.documents.fabric import load_fabric
from tuner.documents.hosts import HostDirectory
from tuner.documents.inventory import Inventory
from tuner.documents.workload import Workload, load_workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.hosts.host_names import HostNames
from tuner.placement.place import shared_links

FLOWS = [
    {"name": "F1", "src": "H1", "dst": "H4", "role": "victim"},
    {"name": "F2", "src": "H2", "dst": "H5", "role": "contributor"},
    {"name": "F3", "src": "H3", "dst": "H5", "role": "contributor"},
]


def workload(flows: Sequence[dict[str, Any]] = FLOWS, **changes: Any) -> Workload:
    document = {"ibcc_workload": 1, "name": "w", "fabric": "two-switch", "duration_s": 1, "flows": list(flows)}
    return build_model(Workload, document | changes)


def chooser(built: BuiltFabric, **limits: Any) -> Chooser:
    """Chooses among the hosts of the fabric; of a large one, among some at each of four switches."""
    names = [built.hosts.reference(one) for one in built.hosts.endports if one.kind == "host"]
    if len(names) > 100:
        names = [names[18 * leaf + k] for leaf in range(4) for k in range(6)]
    inventory = build_model(
        Inventory,
        {
            "ibcc_inventory": 1,
            "name": "site",
            "fabric": "fat-tree-648",
            "launcher": {"kind": "local"},
            "hosts": [{"nodes": f"node{k}", "host": name} for k, name in enumerate(names)],
        },
    )
    return Chooser(
        limits=build_model(CheckHosts, {"inventory": "site", **limits}),
        inventory=inventory,
        names=HostNames(inventory, built.hosts),
        built=built,
        fabric="fat-tree-648",
    )


@pytest.fixture(scope="module")
def forest() -> BuiltFabric:
    return build(load_fabric("fat-tree-648"))


def test_a_workload_of_another_fabric_gets_hosts_whose_paths_share_links(forest: BuiltFabric) -> None:
    site = chooser(forest)
    nodes = list(site.inventory.by_node)
    choice = site.choose({"fairness": HostNeed(workload=workload(), seconds=1)}, nodes)
    placed = choice.workloads["fairness"]
    assert len(choice.nodes) == 5
    assert {site.names.nodes[name] for name in site.names.of(placed)} == set(choice.nodes)
    (shared,) = shared_links(placed, forest)
    assert shared.flow == "F1"
    assert shared.contributors


def test_in_time_all_hosts_get_a_turn_and_a_night_is_repeated_exactly(forest: BuiltFabric) -> None:
    site = chooser(forest)
    nodes = list(site.inventory.by_node)
    need = {"fairness": HostNeed(workload=workload(), seconds=1)}
    nights = [site.choose(need, turn(nodes, night, 5)).nodes for night in range(len(nodes))]
    assert set().union(*nights) == set(nodes)
    assert site.choose(need, turn(nodes, 3, 5)).nodes == nights[3]


def test_a_workload_has_the_same_hosts_each_night_and_other_entries_take_turns(forest: BuiltFabric) -> None:
    site = chooser(forest)
    nodes = list(site.inventory.by_node)
    need = {"fairness": HostNeed(workload=workload(), seconds=1), "sweep": HostNeed(seconds=1)}
    nights = [site.choose(need, turn(nodes, night, 5), nodes) for night in range(len(nodes))]
    assert len({choice.mine["fairness"] for choice in nights}) == 1
    assert set().union(*(choice.mine["sweep"] for choice in nights)) == set(nodes)


def test_entries_share_hosts_and_the_others_are_on_several_switches(forest: BuiltFabric) -> None:
    site = chooser(forest, most_hosts=8)
    nodes = list(site.inventory.by_node)
    choice = site.choose({"any": HostNeed(least=2, seconds=1), "fairness": HostNeed(workload=workload(), seconds=1)}, nodes)
    assert len(choice.nodes) == 8
    assert set(choice.mine["fairness"]) < set(choice.mine["any"])
    leaves = {site.leaf(node) for node in choice.nodes}
    assert len(leaves) > 1


def test_hosts_that_are_not_free_are_not_used(forest: BuiltFabric) -> None:
    site = chooser(forest)
    nodes = list(site.inventory.by_node)[4:]
    choice = site.choose({"any": HostNeed(least=2, seconds=1), "f": HostNeed(workload=workload(), seconds=1)}, nodes)
    assert set(choice.nodes) <= set(nodes)


def test_limits_are_kept_and_named(forest: BuiltFabric) -> None:
    need = {"any": HostNeed(least=4, seconds=1), "f": HostNeed(workload=workload(), seconds=1)}
    few = chooser(forest, most_hosts=3)
    nodes = list(few.inventory.by_node)
    failed = few.choose(need, nodes).failed
    assert "workload 'w' needs 5 hosts, so 5 would be used in all, and hosts.most_hosts is 3" in failed["f"]
    assert failed["any"] == "it needs 4 hosts, and 3 are free and allowed (hosts.most_hosts)"
    one = HostDirectory(load_fabric("fat-tree-648")).capacity_gbps(few.inventory.by_node["node0"].host, 65536)
    gentle = chooser(forest, most_gbps=6 * one)
    choice = gentle.choose({"any": need["any"]}, nodes)
    assert len(choice.nodes) == 6
    assert choice.gbps["any"] == pytest.approx(6 * one)
    slow = chooser(forest, most_gbps=2)
    failed = slow.choose(need, nodes).failed
    assert "workload 'w' offers up to" in failed["f"]
    assert "hosts.most_gbps is 2; fewer flows or a rate_gbps for each would be right" in failed["f"]
    assert "the 4 hosts that it needs offer more than hosts.most_gbps, 2" in failed["any"]
    paced = [{**flow, "rate_gbps": 0.5} for flow in FLOWS]
    choice = slow.choose({"f": HostNeed(workload=workload(paced), seconds=1)}, nodes)
    assert choice.gbps["f"] == pytest.approx(1.5)


def test_the_load_is_that_of_the_worst_moment() -> None:
    hosts = HostDirectory(load_fabric("two-switch"))
    flows = [
        {"name": "a", "src": "H1", "dst": "H4", "rate_gbps": 1.0, "stop_s": 0.5},
        {"name": "b", "src": "H2", "dst": "H5", "rate_gbps": 2.0},
        {"name": "c", "src": "H3", "dst": "H5", "rate_gbps": 4.0, "start_s": 0.5},
        {"name": "d", "src": "H3", "dst": "H4", "start_s": 0.5},
    ]
    line = hosts.capacity_gbps("H3", 65536)
    assert offered_gbps(workload(flows), hosts) == pytest.approx(2.0 + line)  # H3 sends no more than its port carries
    assert offered_gbps(workload(flows[:2]), hosts) == pytest.approx(3.0)


def test_a_workload_of_another_shape_is_sent_by_the_hosts_that_it_names() -> None:
    site = chooser(build(load_fabric("two-switch")))
    ring = workload([{"name": f"F{k}", "src": f"H{k}", "dst": f"H{k % 3 + 1}"} for k in (1, 2, 3)])
    nodes = list(site.inventory.by_node)
    choice = site.choose({"ring": HostNeed(workload=ring, seconds=1)}, nodes)
    assert choice.nodes == tuple(site.names.nodes[name] for name in ("H1", "H2", "H3"))
    failed = site.choose({"ring": HostNeed(workload=ring, seconds=1)}, [node for node in nodes if node != choice.nodes[1]]).failed
    assert failed["ring"] == "host 'H2', which workload 'w' needs, is not free"


def test_the_workload_that_is_the_default_can_be_placed(forest: BuiltFabric) -> None:
    for built in (forest, build(load_fabric("two-switch"))):
        site = chooser(built)
        choice = site.choose({"f": HostNeed(workload=load_workload("scenario-1"), seconds=1)}, list(site.inventory.by_node))
        assert choice.failed == {}
        assert len(choice.nodes) == 7
