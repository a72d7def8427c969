# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every combination of evenly spaced values, in a shuffled order, as papers explore parameters.

Optuna's own grid sampler ends a study by itself, which works only inside its own loop; this one only proposes, and starts over
when the grid is used up.
"""

import itertools
import math
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.samplers import BaseSampler

from tuner.documents.model import Within
from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions
from tuner.samplers.point import PointSampler


class Grid(SamplerOptions):
    kind: Literal["grid"] = "grid"
    levels: Annotated[int, Within(2, 1000)] = 4
    """Values of each range, both ends included; a list of choices is used whole."""

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        axes = [levels_of(distribution, self.levels) for distribution in distributions.values()]
        size = math.prod(len(axis) for axis in axes)
        position = int(np.random.default_rng(self.seed).permutation(size)[ordinal % size]) if size <= 2**20 else ordinal % size
        values = next(itertools.islice(itertools.product(*axes), position, None))
        return PointSampler(dict(zip(distributions, values, strict=True)))


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


SAMPLERS.add("grid", Grid)
