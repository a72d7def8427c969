# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every combination of evenly spaced values, in a shuffled order, as papers explore parameters.

Optuna's own grid sampler ends a study by itself, which works only inside its own loop; this one only proposes, and starts over
when the grid is used up.
"""

import itertools
import math

import numpy as np
from optuna.samplers import BaseSampler

from tuner.documents.samplers import Grid
from tuner.search.samplers.base import SAMPLERS, Distributions, Prior
from tuner.search.samplers.proposers.point import PointSampler, levels_of


def grid(options: Grid, distributions: Distributions, ordinal: int, prior: Prior | None) -> BaseSampler:
    axes = [levels_of(distribution, options.levels) for distribution in distributions.values()]
    size = math.prod(len(axis) for axis in axes)
    position = int(np.random.default_rng(options.seed).permutation(size)[ordinal % size]) if size <= 2**20 else ordinal % size
    values = next(itertools.islice(itertools.product(*axes), position, None))
    return PointSampler(dict(zip(distributions, values, strict=True)))


SAMPLERS.add("grid", grid)
