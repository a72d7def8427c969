# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Noise of a cluster that others use too: the seasons, and jobs that last some nights."""

import numpy as np
import pytest

from tuner.check_statistics.evidence import log_evidence
from tuner.check_statistics.judgement import judge
from tuner.check_statistics.rolling import LENGTH, REFERENCE, STEP, parts
from tuner.check_statistics.series import Assumptions, Series
from tuner.check_statistics.simulated_noise import autoregressive, jobs_of_nights, yearly_wave

LIGHT = Assumptions(1e-3, tails="light", jobs=True)
FIRST = 20


def series(values: np.ndarray, moves: float | None = 5.0, assumed: Assumptions = LIGHT) -> Series:
    return Series([*values[:FIRST]], [*values[FIRST:]], assumed, moves)


def alarms(values: np.ndarray, **how: object) -> int:
    """Of ten metrics judged together."""
    found = judge({str(i): series(row, **how) for i, row in enumerate(values)})  # type: ignore[arg-type]
    return sum(one.changed for one in found.values())


def noise(years: int, nights: int = 200, seed: int = 1) -> np.ndarray:
    return autoregressive(np.random.default_rng(seed), years, FIRST + nights, 0)


@pytest.mark.long
def test_a_yearly_wave_is_no_change_if_the_normal_follows_it() -> None:
    waving = noise(6) + yearly_wave(np.random.default_rng(2), 6, FIRST + 200, 2.0)
    assert alarms(waving) == 0
    assert alarms(waving, moves=None) > 2


@pytest.mark.long
def test_jobs_of_some_nights_are_no_change() -> None:
    jobs = noise(10) - 3 * jobs_of_nights(np.random.default_rng(3), 10, FIRST + 200, nights=5, share=1 / 6)
    assert alarms(jobs) == 0
    assert alarms(jobs, assumed=Assumptions(1e-3, tails="light")) > 0


@pytest.mark.long
def test_a_step_is_found_wherever_it_begins() -> None:
    for begin in range(40, 40 + STEP, 3):
        values = noise(10, 60, seed=begin)
        values[:, FIRST + begin :] -= 12
        found = judge({str(i): series(row) for i, row in enumerate(values)})
        assert all(one.alarmed_on is not None and begin <= one.alarmed_on <= begin + 3 for one in found.values())
        assert all(one.change is not None and abs(one.change.since - begin) <= 1 for one in found.values())


@pytest.mark.thorough
def test_the_normal_moves_no_further_than_it_may() -> None:
    drifting = noise(10, 200) - 0.08 * np.arange(FIRST + 200)
    assert alarms(drifting, moves=3.0) == 10
    assert alarms(drifting, moves=50.0) == 0


def test_a_night_that_raised_an_alarm_stays_the_one_that_did() -> None:
    values = noise(1, 60)[0]
    values[FIRST + 30 :] -= 15
    raised = [
        judge({"a": Series([*values[:FIRST]], [*values[FIRST : FIRST + until]], LIGHT, 5.0)})["a"].alarmed_on
        for until in range(34, 60, 5)
    ]
    assert raised[0] is not None
    assert set(raised) == {raised[0]}


def test_parts_overlap_and_have_the_nights_before_them() -> None:
    one = Series([1.0] * FIRST, [1.0] * 30, LIGHT, 1.0)
    found = parts(one)
    assert [part.begin - FIRST for part in found] == [0, STEP, 2 * STEP, 3 * STEP, 4 * STEP]
    assert found[0].first == 0
    assert found[3].begin - found[3].first == REFERENCE
    assert found[1].end - found[1].begin == LENGTH
    assert parts(Series([1.0] * FIRST, [None] * 9, LIGHT, 1.0)) == []


def test_a_night_of_another_job_counts_less_than_one_without() -> None:
    values = noise(1, 3)
    values[:, FIRST:] -= 6
    plain, jobs = (
        log_evidence(values, np.arange(FIRST + 3), FIRST, np.array([1e-3]), (0.0, 0.3), 16, jobs=also) for also in (False, True)
    )
    assert (jobs < plain).all()
    assert jobs[0, -1] < plain[0, -1] - 3
