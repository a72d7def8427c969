# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Estimates from replicates: the jackknife's standard error and the interval's coverage."""

import statistics
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.campaign.replicates import Estimate, jackknife

samples = st.lists(st.floats(-1e3, 1e3), min_size=2, max_size=8)


@given(samples)
def test_of_a_mean_it_is_the_standard_error_of_the_textbook(values: list[float]) -> None:
    def figures(seeds: Sequence[int]) -> dict[str, float]:
        return {"mean": statistics.fmean(values[seed] for seed in seeds)}

    estimate = jackknife(range(len(values)), figures)["mean"]
    assert estimate.value == pytest.approx(statistics.fmean(values))
    assert estimate.standard_error == pytest.approx(statistics.stdev(values) / len(values) ** 0.5, rel=1e-6, abs=1e-9)


@given(samples, st.floats(-5, 5))
def test_of_a_difference_that_is_the_same_in_every_pair_it_is_nothing(values: list[float], shift: float) -> None:
    def figures(seeds: Sequence[int]) -> dict[str, float]:
        own = statistics.fmean(values[seed] + shift for seed in seeds)
        return {"difference": own - statistics.fmean(values[seed] for seed in seeds)}

    estimate = jackknife(range(len(values)), figures)["difference"]
    assert estimate.value == pytest.approx(shift, abs=1e-9)
    assert estimate.standard_error == pytest.approx(0, abs=1e-9)


def test_one_replicate_has_no_error() -> None:
    estimate = jackknife([7], lambda seeds: {"x": 2.0})["x"]
    assert estimate == Estimate(value=2.0, standard_error=None, replicates=1)
    assert estimate.interval() is None
    assert estimate.at_least(0.99) is None
    assert estimate.to_json() == {"value": 2.0, "standard_error": None, "low": None, "high": None, "replicates": 1}


def test_the_interval_by_hand() -> None:
    # 1, 2, 3: mean 2, standard deviation 1, t = 4.303 with two degrees of freedom.
    estimate = jackknife([1, 2, 3], lambda seeds: {"x": statistics.fmean(seeds)})["x"]
    low, high = estimate.interval() or (0.0, 0.0)
    assert (low, high) == pytest.approx((2 - 4.303 / 3**0.5, 2 + 4.303 / 3**0.5), abs=1e-3)
    one_sided = estimate.at_least(0.975)
    assert one_sided == pytest.approx(low)


@pytest.mark.parametrize("n", [3, 5])
def test_the_interval_of_a_ratio_of_paired_means_covers_it(n: int) -> None:
    # 1,500 campaigns with correlated noise: 95 % of the intervals hold the true ratio, give or take 2 %.
    random = np.random.default_rng(1)
    covered = 0
    for _ in range(1500):
        luck = random.normal(0, 0.3, n)
        ours, theirs = 12.9 + luck + random.normal(0, 0.02, n), 13.3 + luck + random.normal(0, 0.02, n)

        def figures(seeds: Sequence[int], ours: np.ndarray = ours, theirs: np.ndarray = theirs) -> dict[str, float]:
            chosen = list(seeds)
            return {"ratio": float(ours[chosen].mean() / theirs[chosen].mean())}

        interval = jackknife(range(n), figures)["ratio"].interval()
        assert interval is not None
        covered += interval[0] <= 12.9 / 13.3 <= interval[1]
    assert covered / 1500 == pytest.approx(0.95, abs=0.02)
