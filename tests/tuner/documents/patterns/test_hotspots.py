# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ccsim.policy import Profile
from tests.tuner.documents.patterns import bed
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError


def forest(*, hosts: int = bed.N_HOSTS, duration_s: float = 0.002, **changes: Any) -> list[ExpandedFlow]:
    return bed.expanded({"kind": "hotspots", "name": "f", **changes}, hosts=hosts, duration_s=duration_s)


def sort(flows: list[ExpandedFlow], stem: str) -> list[ExpandedFlow]:
    return [flow for flow in flows if flow.name.startswith(f"f-{stem}-")]


def test_four_fifths_are_c_nodes_and_the_rest_v_nodes() -> None:
    flows = forest(hosts=200)
    assert (len(sort(flows, "c")), len(sort(flows, "v")), len(flows)) == (160, 40, 200)
    assert len({flow.src for flow in flows}) == 200
    assert {(flow.role, flow.rate_gbps) for flow in sort(flows, "c")} == {("contributor", None)}
    assert {(flow.role, flow.rate_gbps, flow.dst) for flow in sort(flows, "v")} == {("victim", None, "uniform(200 hosts)")}
    assert {flow.message_bytes for flow in flows} == {4096}


def test_the_others_are_divided_when_some_are_b_nodes() -> None:
    flows = forest(hosts=200, b_percent=25.0)
    assert Counter(flow.name.rpartition("-")[0] for flow in flows) == {
        "f-c": 120,
        "f-v": 30,
        "f-b-hotspot": 50,
        "f-b-uniform": 50,
    }
    assert [flow.src for flow in sort(flows, "b-hotspot")] == [flow.src for flow in sort(flows, "b-uniform")]


@pytest.mark.parametrize("seed", range(1, 9))
def test_contributors_are_divided_evenly_over_hotspots_and_no_hotspot_sends_to_itself(seed: int) -> None:
    flows = forest(hosts=200, b_percent=50.0, seed=seed)
    for stem, nodes in (("c", 80), ("b-hotspot", 100)):
        sizes = Counter(flow.dst for flow in sort(flows, stem))
        assert (len(sizes), sum(sizes.values())) == (8, nodes)
        assert max(sizes.values()) - min(sizes.values()) <= 1
    assert len({flow.dst for flow in flows if flow.destinations is None}) == 8
    assert all(flow.src != flow.dst for flow in flows)


@given(st.data())
def test_whatever_the_numbers_nodes_are_of_one_kind_and_trees_of_one_size(data: st.DataObject) -> None:
    n_hosts = data.draw(st.integers(3, 30))
    n_b = data.draw(st.integers(0, n_hosts))
    n_c = data.draw(st.integers(0, n_hosts - n_b))
    n_spots = data.draw(st.integers(1, n_hosts))
    flows = forest(hosts=n_hosts, b_nodes=n_b, c_nodes=n_c, hotspots=n_spots, seed=data.draw(st.integers(0, 2**63 - 1)))
    kinds = [{flow.src for flow in sort(flows, stem)} for stem in ("c", "v", "b-uniform")]
    assert len(set.union(*kinds)) == sum(map(len, kinds))
    assert [len(nodes) for nodes in kinds[1:]] == [n_hosts - n_b - n_c, n_b]
    for stem, n in (("c", n_c), ("b-hotspot", n_b)):
        sizes = Counter(flow.dst for flow in sort(flows, stem))
        assert n - sum(sizes.values()) in ((0, 1) if n_spots == 1 else (0,))  # a lone hotspot has nobody to send to
        assert all(size in (n // n_spots, -(-n // n_spots)) for size in sizes.values()) or n_spots == 1
    assert all(flow.src != flow.dst for flow in flows)


def test_a_b_nodes_two_kinds_have_their_parts_of_the_capacity() -> None:
    flows = forest(hosts=40, b_percent=100.0, p_percent=30.0)
    assert [flow.rate_gbps for flow in sort(flows, "b-hotspot")] == pytest.approx([0.3 * 13.5] * 40)
    assert [flow.rate_gbps for flow in sort(flows, "b-uniform")] == pytest.approx([0.7 * 13.5] * 40)
    assert {flow.role for flow in sort(flows, "b-uniform")} == {"victim"}


@pytest.mark.parametrize(("p_percent", "stem"), [(0.0, "f-b-uniform"), (100.0, "f-b-hotspot")])
def test_a_b_node_of_one_kind_only_has_one_flow(p_percent: float, stem: str) -> None:
    flows = forest(hosts=40, b_percent=100.0, p_percent=p_percent)
    assert {flow.name.rpartition("-")[0] for flow in flows} == {stem}
    assert len(flows) == 40


def test_leaving_some_out_changes_nothing_for_the_others() -> None:
    everyone = forest(hosts=200)
    alone = forest(hosts=200, active=["V"])
    assert [flow.src for flow in alone] == [flow.src for flow in sort(everyone, "v")]


def test_moving_hotspots_have_a_place_for_each_slot_and_trees_share_it() -> None:
    flows = forest(hosts=40, move_every_s=0.0003, duration_s=0.002, start_s=0.0005)
    trees = {id(flow.destinations): flow.destinations for flow in sort(flows, "c")}
    assert len(trees) == 8
    slots = np.array([tree.hosts for tree in trees.values() if tree is not None])
    assert slots.shape == (8, 5)
    assert {tree.period_s for tree in trees.values() if tree is not None} == {0.0003}
    assert all(len(set(slot)) == 8 for slot in slots.T)  # different places at any time
    assert len({tuple(slot) for slot in slots.T}) == 5
    assert {flow.dst for flow in sort(flows, "c")} == {"moving(5 places, 0.0003 s each)"}


@pytest.mark.parametrize(
    ("changes", "sentence"),
    [
        ({"c_percent": 50.0, "c_nodes": 5}, "gives both c_percent 50 and c_nodes 5; one of them is enough"),
        ({"rate_gbps": 3.0}, "has a rate_gbps of 3; use load instead"),
        ({"qps": 2}, "has 2 qps, but it sends to many hosts"),
        ({"c_nodes": 10, "b_nodes": 7}, "pattern 'f' needs 10 C nodes, 7 B nodes and 8 hotspots, but finds 16 hosts; it needs"),
        ({"hotspots": 17}, "17 hotspots, but finds 16 hosts"),
        ({"queue_messages": 3}, "has queue_messages 3, which go with generator strict, not independent"),
        ({"active": ["B"]}, "pattern 'f' has 13 C, 3 V and 0 B nodes, and none of them sends"),
        ({"b_percent": 100.0, "p_percent": 1e-3}, "a share of 1e-05 of 13.5 Gb/s is 0.000135 Gb/s; the slowest"),
    ],
)
def test_what_makes_no_sense_is_a_sentence(changes: dict[str, Any], sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        forest(**changes)
    assert sentence in error.value.sentence


def test_a_document_scales_that_gives_numbers_of_nodes() -> None:
    assert bed.workload({"kind": "hotspots", "name": "f", "c_nodes": 4, "b_nodes": 4}).scaled(2).expanded(bed.star().hosts)


def stopper() -> Profile:
    """A profile that marks only where a queue is three quarters full, and all but stops what is marked."""
    entries = [{"shift": 0, "multiplier": 0}] + [{"shift": 0, "multiplier": 4000}] * 127
    document = load_profile("gran-2012").to_dict()
    document |= {"switch": document["switch"] | {"threshold": 4}, "cct": {"ccti_limit": 127, "entries": entries}}
    document["ca"] = document["ca"] | {"ccti_timer": 60_000, "ccti_increase": 127}
    return Profile.from_dict(document)


def test_neither_kind_of_a_b_node_takes_the_others_place() -> None:
    """Nine B nodes overload the link to one of them with 60 % of what each can send. With a profile that all but stops this, the
    other kind gets its 40 %, and no more, though the links are idle in the rest of the time."""
    document = {"kind": "hotspots", "name": "f", "hosts": ["H?"], "b_percent": 100.0, "p_percent": 60.0, "hotspots": 1}
    work = bed.workload(document, duration_s=0.02).expanded(bed.star().hosts)
    hotspot = next(flow.dst for flow in work.flows if flow.name.startswith("f-b-hotspot"))

    def received_gbps(profile: Profile | None) -> tuple[float, list[float]]:
        """Returns the rate of the hotspot's flows together, and that of each other host: those get only flows of the other
        kind."""
        result = bed.run(work, profile=profile).result
        flows = result.received_bytes[:, 50:].sum(axis=1) * 8e-9 / 0.015
        hosts = result.host_received_bytes[:, 50:].sum(axis=1) * 8e-9 / 0.015
        to_hotspot = sum(gbps for flow, gbps in zip(work.flows, flows, strict=True) if flow.name.startswith("f-b-hotspot"))
        return float(to_hotspot), [float(hosts[i]) for i in range(9) if f"H{i + 1}" != hotspot]

    fair = 0.4 * 13.5
    to_hotspot, at_others = received_gbps(None)
    assert to_hotspot > 0.7 * 13.6
    assert max(at_others) < 0.8 * fair  # congestion holds everything back
    to_hotspot, at_others = received_gbps(stopper())
    assert to_hotspot < 0.02 * 13.6
    assert at_others == pytest.approx([fair] * 8, rel=0.05)  # the draws of 15 ms differ by up to 5 %
    assert sum(at_others) == pytest.approx(8 * fair, rel=0.01)


@pytest.mark.parametrize("p_percent", [10, 40, 70, 90])
@pytest.mark.parametrize("generator", ["independent", "strict"])
def test_a_b_node_that_flow_control_holds_back_sends_p_to_1_minus_p(p_percent: int, generator: str) -> None:
    """CC off; the hotspot's own node, which has no hotspot to send to, and sources that are not held back do not count."""
    b_node = {"b_percent": 60.0, "p_percent": float(p_percent), "generator": generator}
    document = {"kind": "hotspots", "name": "f", "hotspots": 2, "c_percent": 100.0, "seed": 5, **b_node}
    work = bed.workload(document, duration_s=0.01).expanded(bed.star().hosts)
    received = bed.run(work).result.received_bytes[:, 30:].sum(axis=1)
    of = {flow.name: float(sent) for flow, sent in zip(work.flows, received, strict=True)}
    sources = {flow.name: flow.src for flow in work.flows}
    to_hotspot = {sources[name]: sent for name, sent in of.items() if name.startswith("f-b-hotspot")}
    to_all = {sources[name]: sent for name, sent in of.items() if name.startswith("f-b-uniform")}
    assert len(to_hotspot) == 10
    held_back = [src for src in to_hotspot if to_hotspot[src] + to_all[src] < 0.9 * 13.5e9 / 8 * 0.007]
    assert len(held_back) >= 9
    hot, other = (sum(sent[src] for src in held_back) for sent in (to_hotspot, to_all))
    assert hot / (hot + other) == pytest.approx(p_percent / 100, abs=0.02)


def test_hotspots_move_on_time() -> None:
    slot_s = 0.0003
    document = {
        "kind": "hotspots",
        "name": "f",
        "c_nodes": 4,
        "hotspots": 2,
        "active": ["C"],
        "move_every_s": slot_s,
        "load": 0.2,
        "message_bytes": 2048,
        "start_s": 0.0001,
    }
    run = bed.run(bed.workload(document), trace_packets=1_000_000)
    sent = run.packets(0)
    for i, flow in enumerate(run.flows):
        assert isinstance(flow, ExpandedFlow)
        assert flow.destinations is not None
        places = [int(host[1:]) - 1 for host in flow.destinations.hosts]
        rows = sent["flow"] == i
        slot = ((sent["time_ns"][rows] - 0.0001e9) // (slot_s * 1e9)).astype(int)
        assert set(slot.tolist()) == set(range(7)) == set(range(len(places)))
        own = int(flow.src[1:]) - 1
        expected = [place if place != own else places[(k + 1) % 7] for k, place in enumerate(places)]  # itself is passed over
        assert sent["destination"][rows].tolist() == [expected[k] for k in slot]


def test_a_hotspot_that_moves_leaves_the_throttling_behind() -> None:
    """Eight C nodes of one hotspot are all but stopped within each slot, and send at once to the new place in the next."""
    document = {"kind": "hotspots", "name": "f", "c_nodes": 8, "hotspots": 1, "active": ["C"], "move_every_s": 0.001, "seed": 3}
    run = bed.run(bed.workload(document, duration_s=0.004), profile=stopper(), trace_packets=1_000_000)
    sent = run.packets(0)
    for i, flow in enumerate(run.flows):
        assert isinstance(flow, ExpandedFlow)
        assert flow.destinations is not None
        places = [int(host[1:]) - 1 for host in flow.destinations.hosts]
        assert len(set(places)) == len(places) == 4
        rows = sent["flow"] == i
        for slot, place in enumerate(places):
            here = rows & (sent["time_ns"] // 1_000_000 == slot)
            if place == int(flow.src[1:]) - 1:
                continue  # its own place, so it sends to the next one
            there = sent["time_ns"][here & (sent["destination"] == place)] - slot * 1_000_000
            assert there[0] < 2_000
            assert there[-1] < 200_000  # stopped
            assert here.sum() - len(there) <= 2  # at most the rest of a message to an old place
