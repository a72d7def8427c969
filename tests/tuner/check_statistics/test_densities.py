# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The densities against sums over dense grids and over every night on which a change can have begun."""

import math

import numpy as np
import pytest

from tuner.check_statistics.change_density import CHANGES, WIDER, change_nodes, log_change_density
from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.null_density import log_null_density
from tuner.check_statistics.simulated_noise import autoregressive
from tuner.check_statistics.tails import TAILS, density_ratio, log_density
from tuner.check_statistics.whitening import Array, whitening

FINE = np.array([1e-9])


def values(seed: int, count: int, baseline: int) -> Array:
    return standardized(np.random.default_rng(seed).standard_t(4, (1, count)), baseline, FINE)[0]


def log_joint(x: Array, positions: Array, rho: float, mean: Array, scale: Array, freedom: int) -> Array:
    """The density of the values one after the other, each given the one before it."""
    total = np.zeros(np.broadcast(mean, scale).shape)
    for i, value in enumerate(x):
        near = rho ** (positions[i] - positions[i - 1]) if i else 0.0
        middle = mean + near * (x[i - 1] - mean) if i else mean
        width = scale * math.sqrt(1 - near**2)
        total = total + log_density(((value - middle) / width) ** 2, freedom) - np.log(width)
    return total


@pytest.mark.parametrize("rho", [0.0, 0.3, 0.6])
@pytest.mark.parametrize("freedom", TAILS.values())
def test_the_density_without_a_change_is_the_integral(rho: float, freedom: int) -> None:
    positions = np.array([0, 1, 2, 4, 5, 6, 7, 8, 9, 10, 11, 14, 15, 16])
    x = values(3, len(positions), 10)
    path = log_null_density(x, whitening(positions, rho), 10, rho, freedom, FINE)[0]
    mean, log_scale = np.meshgrid(np.linspace(-8, 8, 801), np.linspace(-3, 3, 301))
    for i, count in enumerate(range(10, 15)):
        joint = log_joint(x[0, :count], positions, rho, mean, np.exp(log_scale), freedom)
        exact = math.log(np.exp(joint).sum() * (16 / 800) * (6 / 300))
        assert path[i] == pytest.approx(exact, abs=0.03)


@pytest.mark.parametrize("rho", [0.0, 0.6])
def test_the_density_with_a_change_is_the_sum_over_its_first_nights(rho: float) -> None:
    positions = np.array([0, 1, 2, 3, 4, 5, 7, 8, 10, 11])
    baseline, freedom = 7, 4
    x = values(4, len(positions), baseline)
    white = whitening(positions, rho)
    path = log_change_density(x, white, baseline, rho, freedom, FINE)[0]
    nodes = change_nodes(x, white, baseline, rho, freedom, FINE)
    total = 0.0
    for first in range(baseline, len(positions)):
        for change, wider in zip(CHANGES, WIDER, strict=True):
            log_given = np.zeros_like(nodes.mean)
            for i in range(baseline, len(positions)):
                near = rho ** (positions[i] - positions[i - 1])
                now, ago = (change * (night >= first) * nodes.scale for night in (i, i - 1))
                middle = nodes.mean + now + near * (x[0, i - 1] - nodes.mean - ago)
                width = nodes.scale * math.sqrt(1 - near**2) * (wider if i >= first else 1)
                log_given += log_density(((x[0, i] - middle) / width) ** 2, freedom) - np.log(width)
            total += float((nodes.weight * np.exp(log_given)).sum()) / len(CHANGES)
    assert path[-1] == pytest.approx(math.log(total))


def test_the_evidence_depends_on_neither_unit_nor_origin() -> None:
    x = autoregressive(np.random.default_rng(5), 1, 40, 0.3)
    x[:, 30:] += 3
    plain, other = (log_evidence(z, np.arange(40), 20, FINE, (0.0, 0.3), 4) for z in (x, 1e6 - 50 * x))
    assert other == pytest.approx(plain, abs=1e-6)


@pytest.mark.long
@pytest.mark.parametrize(("rho", "freedom"), [(0.0, 4), (0.3, 4), (0.0, 16)])
def test_one_more_night_without_a_change_adds_at_most_one_on_average(rho: float, freedom: int) -> None:
    """The mean of the statistic after the first night is at most 1: the guarantee rests on that."""
    random = np.random.default_rng(6)
    noise = random.standard_t(freedom, (4000, 21))
    for night in range(1, 21):
        noise[:, night] = rho * noise[:, night - 1] + math.sqrt(1 - rho**2) * noise[:, night]
    first = np.exp(log_evidence(noise, np.arange(21), 20, np.full(4000, 1e-9), (0.0, 0.3), freedom)[:, 0])
    assert first.mean() < 1 + 3 * first.std() / math.sqrt(len(first))
    assert first.mean() > 0.2


def test_the_correlation_that_fits_best_is_the_one_without_a_change() -> None:
    x = autoregressive(np.random.default_rng(8), 1, 200, 0.6)
    narrow = log_evidence(x, np.arange(200), 60, FINE, (0.0,), 4)
    wide = log_evidence(x, np.arange(200), 60, FINE, (0.0, 0.3, 0.6), 4)
    assert wide.max() < narrow.max() - 3


@pytest.mark.parametrize("freedom", TAILS.values())
def test_the_ratio_of_densities_is_that_of_the_logarithms(freedom: int) -> None:
    one, other = np.array([0.0, 1.0, 30.0]), np.array([4.0, 0.5, 900.0])
    logs = log_density(one, freedom) - log_density(other, freedom)
    assert np.log(density_ratio(one.copy(), other, freedom)) == pytest.approx(logs)


def test_nights_beyond_all_measure_leave_the_evidence_finite() -> None:
    x = np.array([[1.0, 2.0, 3.0, 2.0, 1.0, 1e300, -1e300, 2.0, 1e300]])
    for freedom in TAILS.values():
        assert np.isfinite(log_evidence(x, np.arange(9), 5, FINE, (0.0, 0.3, 0.6), freedom)).all()
