# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a placement says that paths meet, they do: followed here hop by hop through the forwarding tables."""

import time

import pytest

from tuner.documents.fabric import load_fabric
from tuner.documents.workload import Workload, load_workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.topologies.base import generate
from tuner.placement.paths import Routes
from tuner.placement.place import place, shared_links

SCENARIO_1 = load_workload("scenario-1")
SCENARIO_2 = load_workload("scenario-2")


FABRICS = {
    "two-switch": lambda: load_fabric("two-switch"),
    "648 hosts": lambda: generate("three-stage", radix=36),
    "torus": lambda: generate("torus", dims=[4, 4, 3], hosts_per_switch=2),
    "dragonfly": lambda: generate("dragonfly", a=4, p=2, h=2),
}


@pytest.fixture(scope="module", params=list(FABRICS))
def built(request: pytest.FixtureRequest) -> BuiltFabric:
    return build(FABRICS[request.param]())


def walked(built: BuiltFabric, src: str, dst: str) -> list[tuple[str, int]]:
    """(switch, port left by) of each hop between switches, followed from link to link."""
    fabric = built.fabric
    ends = fabric.endports
    at, to = ends[built.endport(src)], ends[built.endport(dst)]
    hops = []
    for node, port in fabric.route(built.endport(src), built.endport(dst)):
        assert node == at[0]
        peer = fabric.peer(node, port)
        assert peer is not None
        at = peer
        hops.append((node, port))
    assert at[0] == to[0]
    switches = [hop for hop in hops if fabric.node_kind(hop[0]) == "switch"]
    return [(fabric.node_name(node), port) for node, port in switches[:-1]]


def hosts_of(built: BuiltFabric) -> list[str]:
    return [built.hosts.reference(endport) for endport in built.hosts.endports if endport.kind == "host"]


def test_a_victim_shares_a_link_with_contributors_and_goes_elsewhere(built: BuiltFabric) -> None:
    began_s = time.process_time()
    placed = place(SCENARIO_1, built, hosts_of(built), fabric="there")
    assert time.process_time() - began_s < 20
    flows = {flow.name: flow for flow in placed.workload.flows}
    assert len({host for flow in flows.values() for host in (flow.src, flow.dst)}) == 7
    assert len({flow.dst for name, flow in flows.items() if name != "F1"}) == 1
    assert flows["F1"].dst != flows["F2"].dst
    own = walked(built, flows["F1"].src, flows["F1"].dst)
    sharing = [name for name in ("F2", "F3", "F4", "F5") if set(own) & set(walked(built, flows[name].src, flows[name].dst))]
    assert len(sharing) == 2  # as in the paper's test bed
    (told,) = placed.shared
    assert (told.flow, list(told.contributors)) == ("F1", sharing)
    for text in told.links:
        switch, port = text.split(" → ")[0].rsplit("/", 1)
        assert (switch, int(port)) in own
    assert placed.workload.fabric == "there"
    assert [(f.name, f.role, f.start_s) for f in placed.workload.flows] == [(f.name, f.role, f.start_s) for f in SCENARIO_1.flows]


def test_contributors_without_a_victim_share_one_link(built: BuiltFabric) -> None:
    placed = place(SCENARIO_2, built, hosts_of(built), fabric="there")
    paths = [set(walked(built, flow.src, flow.dst)) for flow in placed.workload.flows]
    assert set.intersection(*paths)
    assert len({host for flow in placed.workload.flows for host in (flow.src, flow.dst)}) == 6
    (told,) = placed.shared
    assert told.contributors == ("F2", "F3")


def test_as_many_share_as_is_asked_for() -> None:
    built = build(FABRICS["648 hosts"]())
    for alike in (1, 3, 4):
        placed = place(SCENARIO_1, built, hosts_of(built), fabric="there", alike=alike)
        assert len(placed.shared[0].contributors) == alike


def test_only_candidates_are_taken_and_the_same_ones_each_time() -> None:
    built = build(FABRICS["648 hosts"]())
    some = hosts_of(built)[100:160]
    once, again = (place(SCENARIO_1, built, some, fabric="there") for _ in range(2))
    assert set(once.hosts.values()) <= set(some)
    assert once.hosts == again.hosts


def test_the_papers_own_places_are_told() -> None:
    built = build(load_fabric("two-switch"))
    (told,) = shared_links(SCENARIO_1, built)
    assert (told.flow, told.links, told.contributors) == ("F1", ("S1/19 → S2/19",), ("F2", "F3"))


def changed(**roles: dict[str, str]) -> Workload:
    document = SCENARIO_1.model_dump()
    for flow in document["flows"]:
        flow |= roles.get(flow["name"], {})
    return Workload.model_validate(document)


@pytest.mark.parametrize(
    ("workload", "hosts", "sentence"),
    [
        (SCENARIO_1, ["H1", "H2", "H3"], "needs 7 hosts, and there are 3"),
        (changed(F2={"dst": "H7"}, F5={"src": "H4"}), None, "its contributors have 2 receivers beside a victim"),
        (changed(F1={"src": "H2"}), None, "a host plays two roles in it"),
        (load_workload("hotspots"), None, "has patterns, which choose hosts themselves"),
    ],
)
def test_what_cannot_be_placed_is_refused(workload: Workload, hosts: list[str] | None, sentence: str) -> None:
    built = build(load_fabric("two-switch"))
    with pytest.raises(BadInputError, match=sentence):
        place(workload, built, hosts or hosts_of(built), fabric="there")


def test_hosts_behind_one_switch_have_no_link_to_share() -> None:
    built = build(generate("three-stage", radix=36))
    with pytest.raises(BadInputError, match="none of the 12 hosts have a victim's path"):
        place(SCENARIO_1, built, hosts_of(built)[:12], fabric="there")


def test_where_no_two_flows_can_meet_it_is_refused_at_once() -> None:
    """With one host a leaf, links to a leaf lead to one host, and those from it come from one."""
    lonely = build(generate("leaf-spine", leaves=40, spines=4, hosts_per_leaf=1))
    routes = Routes()
    before = routes.left
    with pytest.raises(BadInputError, match="shares a link between switches with contributors"):
        place(load_workload("scenario-1"), lonely, hosts_of(lonely), fabric="lonely", routes=routes)
    assert before - routes.left <= 40 * 39, "each route is looked at once"
