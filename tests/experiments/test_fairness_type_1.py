# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Flows with an input each: equal with two thresholds, unequal with one."""

import pytest

from experiments._common.runs import Run, measure_one
from experiments.fairness_type_1.experiment import EMPTY_PACKETS, WORKLOAD, cc_run, last_gets_most, shares, unfairness

pytestmark = pytest.mark.long

SCALE = 0.3
slow = pytest.mark.slow


def test_without_cc_round_robin_is_fair() -> None:
    assert unfairness(measure_one(Run(workload=WORKLOAD, time_scale=SCALE))) < 1.02


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=slow) for seed in range(2, 7))])
@pytest.mark.parametrize("distance", [1.0, pytest.param(0.5, marks=slow)])
def test_with_thresholds_a_packet_apart_the_last_to_start_gets_most(distance: float, seed: int) -> None:
    measurement = measure_one(cc_run(mode="sum", distance=distance, seed=seed, time_scale=SCALE))
    for count in (3, 4):
        means = shares(measurement, count)
        assert last_gets_most(measurement, count)
        assert means.max() / means.min() > 1.3


@pytest.mark.parametrize("carrier", ["CNP, 20 us apart", "CNP for every mark"])
def test_with_one_threshold_somebody_gets_far_more(carrier: str) -> None:
    measurement = measure_one(cc_run(mode="sum", distance=0, carrier=carrier, time_scale=SCALE))
    assert all(shares(measurement, count).max() / shares(measurement, count).min() > 2 for count in (2, 3))


@pytest.mark.parametrize("mode", ["voq", "sum"])
@pytest.mark.parametrize("distance", [2.0, pytest.param(1.5, marks=slow), pytest.param(8.0, marks=slow)])
def test_with_thresholds_further_apart_shares_are_equal(mode: str, distance: float) -> None:
    assert unfairness(measure_one(cc_run(mode=mode, distance=distance, time_scale=SCALE))) < 1.2


@pytest.mark.parametrize("distance", [4.0, pytest.param(0.0, marks=slow), pytest.param(2.0, marks=slow)])
def test_with_the_threshold_divided_by_inputs_shares_are_unequal_long_after(distance: float) -> None:
    measurement = measure_one(cc_run(mode="contributing", distance=distance, time_scale=SCALE))
    assert all(shares(measurement, count).max() / shares(measurement, count).min() > 4 for count in (2, 3, 4))


def test_with_the_threshold_divided_by_inputs_shares_are_close_if_marking_lasts_until_the_queue_is_empty() -> None:
    assert unfairness(measure_one(cc_run(mode="contributing", distance=EMPTY_PACKETS, time_scale=SCALE))) < 1.5


@pytest.mark.parametrize(("mode", "most"), [("voq", 1.05), ("sum", 1.15)])
def test_with_becns_on_acks_one_threshold_is_fair(mode: str, most: float) -> None:
    assert unfairness(measure_one(cc_run(mode=mode, distance=0, carrier="ACK of 28 packets", time_scale=SCALE))) < most
