# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Proposing a given point, points that cover a space evenly, values by their place in a distribution and the other way
round, and the levels of a distribution."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial

from tuner.search.samplers.base import Distributions


class PointSampler(BaseSampler):
    """Proposes one given point."""

    def __init__(self, point: Mapping[str, Any]) -> None:
        self._point = point

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        return {}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        return {}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        return self._point[param_name]


def even_point(distributions: Distributions, *, seed: int, ordinal: int) -> dict[str, Any]:
    """Point number `ordinal` of an infinite sequence that covers the space evenly wherever it is cut off; `seed` shifts it.

    An additive recurrence: step k of d is 1/g^k, g being the root of g^(d+1) = g + 1 (the golden ratio for d = 1), which keeps
    points apart in all dimensions at once. Needs no power of two, as Sobol's sequence does, and no library.
    """
    generator = 2.0
    for _ in range(64):
        generator = (1 + generator) ** (1 / (len(distributions) + 1))
    shift = np.random.default_rng(seed).random(len(distributions))
    return {
        name: value_at(distribution, float((shift[k] + (ordinal + 1) * generator ** -(k + 1)) % 1))
        for k, (name, distribution) in enumerate(distributions.items())
    }


def value_at(distribution: BaseDistribution, place: float) -> Any:
    """The value below which the fraction `place`, from 0 to less than 1, of a distribution lies."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices[int(place * len(distribution.choices))]
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    step = distribution.step
    if step is not None and not distribution.log:
        levels = int((distribution.high - distribution.low) / step + 1.5)
        return distribution.low + step * int(place * levels)
    # Whole numbers on a log scale: each has the room from half a step below to half a step above it.
    margin = 0.5 if isinstance(distribution, IntDistribution) else 0.0
    low, high = distribution.low - margin, distribution.high + margin
    value = math.exp(math.log(low) + place * (math.log(high) - math.log(low))) if distribution.log else low + place * (high - low)
    value = min(max(value, distribution.low), distribution.high)
    return round(value) if isinstance(distribution, IntDistribution) else value


def place_of(distribution: BaseDistribution, value: Any) -> float:
    """The inverse of value_at: a place, from 0 to less than 1, that `value` lies at; of all its places, the one in the middle."""
    if isinstance(distribution, CategoricalDistribution):
        return (distribution.choices.index(value) + 0.5) / len(distribution.choices)
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    step = distribution.step
    if step is not None and not distribution.log:
        levels = int((distribution.high - distribution.low) / step + 1.5)
        return float(round((value - distribution.low) / step) + 0.5) / levels
    margin = 0.5 if isinstance(distribution, IntDistribution) else 0.0
    low, high = distribution.low - margin, distribution.high + margin
    scale = math.log if distribution.log else float
    place: float = (scale(value) - scale(low)) / (scale(high) - scale(low))
    return min(place, math.nextafter(1, 0))


def levels_of(distribution: BaseDistribution, levels: int) -> Sequence[Any]:
    """At most `levels` values of a distribution, evenly spaced (on its log scale if it has one), both ends included."""
    if isinstance(distribution, CategoricalDistribution):
        return distribution.choices
    assert isinstance(distribution, IntDistribution | FloatDistribution)
    space = np.geomspace if distribution.log else np.linspace
    raw = [float(value) for value in space(distribution.low, distribution.high, levels)]
    step = distribution.step
    if step is not None:
        raw = [distribution.low + round((value - distribution.low) / step) * step for value in raw]
    if isinstance(distribution, IntDistribution):
        return sorted({int(value) for value in raw})
    return sorted({min(max(value, distribution.low), distribution.high) for value in raw})
