# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the samplers that learn nothing share: proposing a given point, and values by their place in a distribution."""

import math
from collections.abc import Mapping
from typing import Any

from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study
from optuna.trial import FrozenTrial


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
