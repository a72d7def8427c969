# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fewer false alarms than stated. `benchmarks/bench_check_statistics.py` measures them over more years."""

import math

import numpy as np
import pytest

from tuner.check_statistics.evidence import log_evidence
from tuner.check_statistics.simulated_noise import autoregressive
from tuner.check_statistics.threshold import threshold
from tuner.check_statistics.whitening import Array

NIGHTS, BASELINE = 90, 20


def share_of_alarms(noise: Array, rhos: tuple[float, ...], freedom: int) -> float:
    """With a stated share of 0.5."""
    limit = math.log(threshold(1, 0.5, NIGHTS))
    paths = [
        log_evidence(part, np.arange(noise.shape[1]), BASELINE, np.full(len(part), 1e-9), rhos, freedom)
        for part in np.array_split(noise, len(noise) // 10)
    ]
    return float(np.mean([path.max() >= limit for part in paths for path in part]))


@pytest.mark.long
@pytest.mark.parametrize(("rho", "rhos"), [(0.0, (0.0, 0.3)), (0.3, (0.0, 0.3)), (0.6, (0.0, 0.3, 0.6))])
def test_normal_nights_that_resemble_each_other(rho: float, rhos: tuple[float, ...]) -> None:
    noise = autoregressive(np.random.default_rng(1), 60, BASELINE + NIGHTS, rho)
    assert share_of_alarms(noise, rhos, 4) < 0.3


@pytest.mark.long
def test_odd_nights() -> None:
    noise = np.random.default_rng(2).standard_t(4, (60, BASELINE + NIGHTS))
    assert share_of_alarms(noise, (0.0, 0.3), 4) < 0.3


@pytest.mark.long
def test_skewed_nights() -> None:
    noise = np.exp(0.5 * np.random.default_rng(3).standard_normal((60, BASELINE + NIGHTS)))
    assert share_of_alarms(noise, (0.0, 0.3), 4) < 0.3


@pytest.mark.long
def test_odd_nights_that_are_assumed_away_do_alarm() -> None:
    """So that the tests above can fail."""
    noise = np.random.default_rng(2).standard_t(4, (60, BASELINE + NIGHTS))
    assert share_of_alarms(noise, (0.0, 0.3), 16) > 0.2
