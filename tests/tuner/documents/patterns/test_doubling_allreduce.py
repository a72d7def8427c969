# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rounds of an all-reduce: who sends to whom, and that nobody begins before all have."""

import math

import pytest

from tests.tuner.documents.patterns import bed
from tuner.errors import BadInputError

DOCUMENT = {"kind": "doubling-allreduce", "name": "a", "message_bytes": 8}


def test_partners_are_1_2_and_4_places_on() -> None:
    flows = bed.expanded(DOCUMENT | {"hosts": ["H[1-5]"]})
    assert [(flow.src, flow.dst) for flow in flows[:3]] == [("H1", "H2"), ("H1", "H3"), ("H1", "H5")]
    assert [(flow.src, flow.dst) for flow in flows[-3:]] == [("H5", "H1"), ("H5", "H2"), ("H5", "H4")]
    assert [flow.loop.window for flow in flows if flow.loop] == [1, 0, 0] * 5


@pytest.mark.parametrize("n", [2, 3, 4, 6, 13])
def test_nobody_is_done_before_all_have_begun(n: int) -> None:
    hosts = [f"H{i + 1}" for i in range(n)]
    steps = math.ceil(math.log2(n))
    slow = {"name": "slow", "src": "H14", "dst": "H2", "role": "contributor"}
    run = bed.run(bed.workload(DOCUMENT | {"hosts": hosts}, flows=(slow,), duration_s=0.001), trace_packets=500_000)
    sent = run.packets(0)
    begun = [sent["time_ns"][sent["flow"] == 1 + i * steps] for i in range(n)]
    shortest = min(map(len, begun))
    assert shortest > 20
    for k in range(shortest - 1):
        latest = max(times[k] for times in begun)
        assert all(times[k + 1] > latest for times in begun), k


def test_it_takes_a_round_trip_time_that_grows_with_the_rounds() -> None:
    means = []
    for n in (2, 4, 16):
        run = bed.run(bed.workload(DOCUMENT | {"hosts": [f"H{i + 1}" for i in range(n)], "think_us": 1.0}))
        trips = run.result.flows["round_trip_mean_us"]
        means.append(float(trips[trips > 0].mean()))
    assert means[1] == pytest.approx(2 * means[0], rel=0.01)
    assert means[2] == pytest.approx(4 * means[0], rel=0.01)


def test_an_allreduce_needs_two() -> None:
    with pytest.raises(BadInputError, match="pattern 'a' finds 1 host on this fabric; an all-reduce needs two"):
        bed.expanded(DOCUMENT | {"hosts": ["H1"]})
