# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The parking lot problem, and a setting that is slow to solve it."""

import functools
from dataclasses import replace

import numpy as np
import pytest

from experiments._common.reference import reference
from experiments._common.runs import measure_one
from experiments.fairness_type_2.experiment import (
    EXPERIMENT,
    ONE_THRESHOLD,
    SLOW,
    setting_run,
    shared_input_part,
    shares,
    unequal_s,
)
from experiments.registry import Options
from tuner.measuring.measurement import Measurement

pytestmark = pytest.mark.long

SEEDS = [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 7))]


@functools.cache
def measured(name: str, seed: int = 1) -> Measurement:
    return measure_one(setting_run(name, seed=seed))


@pytest.mark.thorough
@pytest.mark.parametrize("seed", SEEDS)
def test_the_parking_lot_problem_is_gone_but_not_at_once_with_long_timers(seed: int) -> None:
    expert, slow = (measured(name, seed) for name in ("gran-2010", SLOW))
    equal = np.array(list(reference("fairness_type_2.cc_on_shares").values()))
    assert shares(expert) == pytest.approx(equal, rel=0.1)
    # The limits are seconds, of the three in which two to four contributors share the link.
    assert unequal_s(expert) <= 0.35
    assert unequal_s(slow) >= 0.6
    assert unequal_s(slow) >= 2 * unequal_s(expert)


@pytest.mark.parametrize("seed", SEEDS)
def test_with_one_threshold_those_who_share_an_input_get_more_than_half_and_with_two_just_that(seed: int) -> None:
    one, two = (measured(name, seed) for name in (ONE_THRESHOLD, "gran-2010"))
    assert 0.52 < shared_input_part(one) < 0.6
    assert shared_input_part(two) == pytest.approx(0.5, abs=0.02)
    assert unequal_s(one) >= 0.6
    assert unequal_s(one) >= 2 * unequal_s(two)


def test_without_cc_those_with_an_input_of_their_own_get_twice_as_much() -> None:
    published = np.array(list(reference("fairness_type_2.cc_off_shares").values()))
    assert shares(measure_one(replace(setting_run("off"), time_scale=0.2))) == pytest.approx(published, rel=0.03)


@pytest.mark.slow
def test_a_quick_run_holds_but_for_what_is_known() -> None:
    found = EXPERIMENT.run(Options(quick=True, workers=1))
    assert [(claim.holds, claim.known_to_fail) for claim in found.claims] == [
        (True, False),
        (True, False),
        (True, False),
        (False, True),
        (True, False),
    ]
    assert set(found.figures) == {"off", "gran-2010", "slow", "one-threshold"}
