# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections import Counter
from itertools import pairwise
from statistics import fmean

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuner.documents.expanded_flow import Bursts, ClosedLoop, Destinations, ExpandedFlow, make_flow
from tuner.documents.fabric import load_fabric
from tuner.documents.flow import Flow, Traffic
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.hosts.flow_segments import MIN_BURST_S, MIN_SEGMENT_S, Step, flow_segments

HOSTS = tuple(f"H{n}" for n in range(1, 8))


def flow(dst: str | Destinations = "H2", *, src: str = "H1", **changes: object) -> ExpandedFlow:
    traffic = {key: changes.pop(key) for key in list(changes) if key in Traffic.model_fields}
    return make_flow(Traffic(**traffic), name="f", src=src, dst=dst, **changes)  # type: ignore[arg-type]


def test_a_plain_flow_is_one_stay() -> None:
    (segment,) = flow_segments(3, Flow(name="f", src="H1", dst="H2", start_s=1, rate_gbps=2.5), 5.0, dwell_s=1, seed=1)
    assert (segment.flow, segment.src, segment.dst, segment.start_s, segment.stop_s) == (3, "H1", "H2", 1, 5.0)
    assert segment.steps == (Step(at_s=0.0, rate=2.5),)


def test_bursts_are_a_schedule() -> None:
    (segment,) = flow_segments(0, flow(bursts=Bursts(0.4, 0.6), start_s=1.0), 3.0, dwell_s=1, seed=1)
    assert [(step.at_s, step.rate) for step in segment.steps] == [(0.0, "max"), (0.4, "off"), (1.0, "max"), (1.4, "off")]


def test_a_burst_goes_on_across_segments() -> None:
    uniform = flow(Destinations("uniform", HOSTS), bursts=Bursts(0.7, 0.5), rate_gbps=2.0)
    first, second = flow_segments(0, uniform, 2.0, dwell_s=1, seed=1)
    assert [(step.at_s, step.rate) for step in first.steps] == [(0.0, 2.0), (0.7, "off")]
    assert [(step.at_s, step.rate) for step in second.steps] == [(0.0, "off"), (0.2, 2.0), (0.9, "off")]


def test_random_bursts_keep_their_means() -> None:
    random_bursts = flow(Destinations("uniform", HOSTS), bursts=Bursts(0.05, 0.1, random=True))
    found = flow_segments(0, random_bursts, 300.0, dwell_s=5, seed=7)
    times = sorted((segment.start_s + step.at_s, step.rate) for segment in found for step in segment.steps)
    changes = times[:1] + [now for before, now in pairwise(times) if before[1] != now[1]]
    lengths: dict[object, list[float]] = {"max": [], "off": []}
    for (at_s, rate), (until_s, _) in pairwise(changes):
        lengths[rate].append(until_s - at_s)
    assert fmean(lengths["max"]) == pytest.approx(0.05, rel=0.1)
    assert fmean(lengths["off"]) == pytest.approx(0.1, rel=0.1)
    assert min(lengths["max"] + lengths["off"]) >= MIN_BURST_S - 1e-8


def test_hotspots_move_on_schedule_and_a_hotspot_itself_sends_to_the_next() -> None:
    moving = flow(Destinations("moving", ("H3", "H1", "H5"), period_s=0.5), start_s=1.0)
    found = flow_segments(0, moving, 3.2, dwell_s=9, seed=1)
    assert [(segment.dst, segment.start_s, segment.stop_s) for segment in found] == [
        ("H3", 1.0, 1.5), ("H5", 1.5, 2.0), ("H5", 2.0, 2.5), ("H3", 2.5, 3.0), ("H5", 3.0, 3.2)
    ]  # fmt: skip


def test_cyclic_begins_behind_the_sources_own_place() -> None:
    cyclic = flow(Destinations("cyclic", HOSTS), src="H6")
    assert [segment.dst for segment in flow_segments(0, cyclic, 8.0, dwell_s=1, seed=1)] == [
        "H7",
        "H1",
        "H2",
        "H3",
        "H4",
        "H5",
        "H7",
        "H1",
    ]


def test_uniform_visits_all_equally_often_and_never_the_same_twice_in_a_row() -> None:
    found = flow_segments(0, flow(Destinations("uniform", HOSTS)), 600.0, dwell_s=0.2, seed=3)
    order = [segment.dst for segment in found]
    assert all(one != other for one, other in pairwise(order))
    counts = Counter(order)
    assert set(counts) == set(HOSTS) - {"H1"}
    assert max(counts.values()) < 1.2 * min(counts.values())


def test_the_seed_decides_and_flows_differ() -> None:
    def order(index: int, seed: int) -> list[str]:
        return [segment.dst for segment in flow_segments(index, flow(Destinations("uniform", HOSTS)), 20.0, dwell_s=1, seed=seed)]

    assert order(0, 1) == order(0, 1)
    assert order(0, 1) != order(0, 2)
    assert order(0, 1) != order(1, 1)


@settings(max_examples=60)
@given(
    st.sampled_from(["uniform", "cyclic", "moving"]),
    st.floats(0, 3),
    st.floats(0.2, 6),
    st.floats(MIN_SEGMENT_S, 4),
    st.one_of(st.none(), st.tuples(st.floats(0.05, 1), st.floats(0.05, 1), st.booleans())),
    st.integers(0, 2**63 - 1),
)
def test_segments_cover_the_flow_without_gaps(
    order: str, start_s: float, length_s: float, segment_s: float, bursts: tuple[float, float, bool] | None, seed: int
) -> None:
    start_s, length_s, segment_s = (round(value, 3) for value in (start_s, length_s, segment_s))
    places = Destinations(order, HOSTS, period_s=segment_s)  # type: ignore[arg-type]
    own = flow(places, start_s=start_s, bursts=None if bursts is None else Bursts(*bursts))
    found = flow_segments(0, own, start_s + length_s, dwell_s=segment_s, seed=seed)
    assert found[0].start_s == start_s
    assert found[-1].stop_s == start_s + length_s
    for one, other in pairwise(found):
        assert one.stop_s == pytest.approx(other.start_s, abs=1e-8)
    for segment in found:
        assert segment.dst != segment.src
        assert segment.stop_s - segment.start_s >= min(MIN_SEGMENT_S, length_s) - 1e-8
        times = [step.at_s for step in segment.steps]
        assert times[0] == 0
        assert times == sorted(set(times))
        assert times[-1] < segment.stop_s - segment.start_s
        rates = [step.rate for step in segment.steps]
        assert all(a != b for a, b in pairwise(rates))


@pytest.mark.parametrize(
    ("own", "sentence"),
    [
        (flow(message_bytes=2**31), "2147483648 bytes; perftest's largest has 2147483647"),
        (flow(loop=ClosedLoop(1, ("g",))), "begins a message only when another has arrived"),
        (flow(loop=ClosedLoop(1, ("f", "g"))), "begins a message only when another has arrived"),
        (flow(loop=ClosedLoop(1, ("f",), 1.0)), "begins a message only when another has arrived"),
        (flow(messages=[(0.0, 10)]), "consists of 1 messages of given times"),
        (flow(bursts=Bursts(4e-5, 1.0)), "bursts or pauses of 4e-05 s; hosts can keep 0.005 s"),
        (flow(bursts=Bursts(0.005, 0.005)), "changes of rate in 5 s with one host; at most 200"),
        (flow(Destinations("moving", HOSTS, period_s=0.0005)), "move every 0.0005 s; hosts need 0.1 s"),
    ],
)
def test_what_perftest_cannot_send_is_refused(own: ExpandedFlow, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        flow_segments(0, own, 5.0, dwell_s=1, seed=1)


def test_c_v_and_b_nodes_of_the_simulators_own_pattern() -> None:
    workload = Workload.model_validate(
        {
            "ibcc_workload": 1, "name": "w", "fabric": "two-switch", "duration_s": 4, "sample_interval_s": 0.1,
            "patterns": [{"kind": "hotspots", "name": "h", "b_nodes": 2, "p_percent": 25, "c_nodes": 2, "hotspots": 2,
                          "message_bytes": 65536, "move_every_s": 2, "seed": 4}],
        }
    )  # fmt: skip
    expanded = workload.expanded(build(load_fabric("two-switch")).hosts)
    by_name = {own.name: flow_segments(i, own, 4.0, dwell_s=1, seed=1) for i, own in enumerate(expanded.flows)}
    assert [len(found) for name, found in by_name.items() if "-c-" in name or "-b-hotspot" in name] == [2, 2, 2, 2]
    assert {len(found) for name, found in by_name.items() if "-v-" in name or "-b-uniform" in name} == {4}
    rates = {name: found[0].steps[0].rate for name, found in by_name.items()}
    assert rates["h-c-1"] == rates["h-v-1"] == "max"
    to_hotspot, to_all = rates["h-b-hotspot-1"], rates["h-b-uniform-1"]
    assert isinstance(to_hotspot, float)
    assert isinstance(to_all, float)
    assert to_all == pytest.approx(3 * to_hotspot)
