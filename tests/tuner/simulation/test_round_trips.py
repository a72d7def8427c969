# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Percentiles from counts are those of the values that were counted, within a bin."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import ccsim
from tests.tuner.documents.patterns import bed
from tuner.simulation.flows import simulated_flows
from tuner.simulation.measurement import simulated_measurement
from tuner.simulation.round_trips import groups, percentile_us

EDGES_US = 0.134 * (1 + 1 / 64) ** np.arange(1200)


def counted(*flows: list[float]) -> dict[str, np.ndarray[tuple[int, ...], np.dtype[np.float64]]]:
    return {"edges_us": EDGES_US, "counts": np.array([np.histogram(flow, bins=EDGES_US)[0] for flow in flows])}


@given(
    times_us=st.lists(st.floats(0.2, 1e5), min_size=1, max_size=300),
    percent=st.sampled_from([50.0, 90.0, 99.0, 100.0]),
)
def test_the_percentile_is_within_a_bin_of_the_exact_one(times_us: list[float], percent: float) -> None:
    exact = sorted(times_us)[int(np.ceil(percent / 100 * len(times_us) - 1e-9)) - 1]
    assert percentile_us(counted(times_us), percent) == pytest.approx(exact, rel=1 / 63)


def test_flows_are_counted_together() -> None:
    assert percentile_us(counted([10.0] * 98, [500.0] * 2), 99) == pytest.approx(500, rel=1 / 63)
    assert percentile_us(counted([10.0] * 98, [500.0] * 2), 98) == pytest.approx(10, rel=1 / 63)


def test_flows_whose_names_differ_in_numbers_count_alike_however_many_round_trips_they_made() -> None:
    counts = counted([10.0] * 900, [30.0] * 3, [500.0])
    fast_and_slow, other = groups(counts | {"flow": np.array([0, 2, 3])}, ["a-1-b-1", "x", "a-2-b-7", "a-2-c-1"])
    assert fast_and_slow["name"] == "a-b"
    assert (fast_and_slow["flows"], fast_and_slow["count"]) == (2, 903)
    assert fast_and_slow["mean_us"] == pytest.approx(20, rel=1 / 63)
    assert fast_and_slow["p99_us"] == pytest.approx(30, rel=1 / 63)
    assert (other["name"], other["count"]) == ("a-c", 1)


def test_none_and_nonsense() -> None:
    assert percentile_us({"edges_us": np.array([1.0]), "counts": np.zeros((1, 0))}, 99) is None
    for percent in (0, 101):
        with pytest.raises(ValueError, match=f"percentile of {percent}"):
            percentile_us(counted([1.0]), percent)


def test_a_simulated_ping_pong_has_its_own_time_and_congestion_lengthens_the_tail() -> None:
    """Alone, each round trip takes the same time; beside a flow that fills the link to one of the hosts, a message waits for what
    is queued there."""
    pair = {"kind": "ping-pong", "name": "p", "sources": ["H1"], "destinations": ["H2"], "message_bytes": 2048}
    tails = []
    for flows in ((), ({"name": "F", "src": "H3", "dst": "H2", "role": "contributor"},)):
        work = bed.workload(pair, flows=flows).expanded(bed.star().hosts)
        result = bed.run(work).result
        metrics = simulated_measurement(bed.star(), work, result, backend="simulated", seed=1, profile="off").metrics
        assert metrics.round_trip_p99_us is not None
        mean_us = float(result.flows["round_trip_mean_us"][len(flows)])
        tails.append((metrics.round_trip_p99_us, mean_us))
        assert metrics.round_trip_p99_us <= float(result.flows["round_trip_max_us"].max()) * (1 + 1 / 64)
    assert tails[0][0] == pytest.approx(tails[0][1], rel=1 / 60)
    assert tails[1][0] > 3 * tails[0][0]


def test_only_what_ends_in_the_window_is_counted() -> None:
    """A tenth of the time has a tenth of the round trips, all of which take the same here."""
    pair = {"kind": "ping-pong", "name": "p", "sources": ["H1"], "destinations": ["H2"], "message_bytes": 2048}
    flows = simulated_flows(bed.star(), bed.workload(pair).expanded(bed.star().hosts))

    def counts(judged_s: tuple[float, float] | None) -> int:
        result = ccsim.Simulation(bed.star().fabric, flows, duration_s=0.002, sample_interval_s=1e-4, judged_s=judged_s).run()
        return 0 if result.round_trips is None else int(result.round_trips["counts"].sum())

    whole = counts(None)
    assert counts((0.0, 0.002)) == whole
    assert counts((0.001, 0.0012)) == pytest.approx(whole / 10, abs=1)
    assert counts((0.0, 0.0)) == 0
    with pytest.raises(ValueError, match="judged_s goes from"):
        counts((0.001, 0.0005))
