# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials that differ by chance only are known as such, and no importance is read from their order."""

from collections.abc import Callable, Sequence

import numpy as np
import pytest
from optuna.distributions import FloatDistribution

from tests.tuner.campaign.evaluations import evaluation
from tuner.campaign.importance import importance
from tuner.campaign.noise import within_noise
from tuner.campaign.record import TrialRecord
from tuner.goals.objectives import OBJECTIVES

VICTIM = OBJECTIVES.get("victim_throughput")
SEEDS = 3


def trials(cells: Sequence[Sequence[float]]) -> list[TrialRecord]:
    """Trials with such victims' throughputs, by trial and seed."""
    return [
        TrialRecord(
            number=number,
            origin="sampler",
            params={"ca.ccti_timer": float(number)},
            state="complete",
            values={"victim_throughput": float(np.mean(row))},
            evaluation=evaluation(w=[{"victim_throughput_gbps": value} for value in row]),
        )
        for number, row in enumerate(cells)
    ]


def drawn(seed: int, effect: Callable[[int], float], n: int = 40) -> list[TrialRecord]:
    """Trials whose seeds each move all of them alike, and whose noise is 0.02 Gb/s."""
    random = np.random.default_rng(seed)
    shared = random.normal(0, 1, SEEDS)
    return trials([list(10 + effect(i) + shared + random.normal(0, 0.02, SEEDS)) for i in range(n)])


@pytest.mark.parametrize("seed", range(5))
def test_noise_alone(seed: int) -> None:
    alike = drawn(seed, lambda i: 0.0)
    assert within_noise(alike, [VICTIM]) == ("victim_throughput",)
    assert importance(alike, [VICTIM], {"ca.ccti_timer": FloatDistribution(0, 100)}) == {}


@pytest.mark.parametrize("seed", range(5))
def test_what_all_trials_share_hides_no_difference(seed: int) -> None:
    # The seeds move all trials by 1 Gb/s alike; the trials differ by 0.4.
    unlike = drawn(seed, lambda i: 0.01 * i)
    assert within_noise(unlike, [VICTIM]) == ()
    shares = importance(unlike, [VICTIM], {"ca.ccti_timer": FloatDistribution(0, 100)})
    assert shares == {"victim_throughput": {"ca.ccti_timer": pytest.approx(1.0)}}


def test_a_difference_that_no_fabric_shows_is_none_however_steady() -> None:
    steady = trials([[13 + 0.0002 * i / 40] * SEEDS for i in range(40)])
    assert within_noise(steady, [VICTIM]) == ("victim_throughput",)


def test_one_seed_says_nothing_of_noise() -> None:
    assert within_noise(trials([[10.0], [10.5]]), [VICTIM]) == ()
    assert within_noise(trials([[10.0], [10.001]]), [VICTIM]) == ("victim_throughput",)


def test_nothing_is_said_of_one_trial_or_none() -> None:
    assert within_noise([], [VICTIM]) == ()
    assert within_noise(trials([[10.0, 10.1]]), [VICTIM]) == ()
    assert within_noise(trials([[0.0, 0.0], [0.0, 0.0]]), [VICTIM]) == ("victim_throughput",)
