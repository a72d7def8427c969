# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every combination of evenly spaced values, in a shuffled order, as papers explore parameters.

Optuna's own grid sampler ends a study by itself, which works only inside its own loop; this one only proposes, and starts over
when the grid is used up.
"""

import itertools
import math
from typing import TYPE_CHECKING, Annotated, Literal

from tuner.document_base.model import Within
from tuner.search.samplers.base import SAMPLERS, Distributions, SamplerOptions

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Grid(SamplerOptions):
    kind: Literal["grid"] = "grid"
    levels: Annotated[int, Within(2, 1000)] = 4
    """Values of each range, both ends included; a list of choices is used whole."""

    def sampler(self, distributions: Distributions, ordinal: int) -> "BaseSampler":
        import numpy as np

        from tuner.search.samplers.proposers.point import PointSampler, levels_of

        axes = [levels_of(distribution, self.levels) for distribution in distributions.values()]
        size = math.prod(len(axis) for axis in axes)
        position = int(np.random.default_rng(self.seed).permutation(size)[ordinal % size]) if size <= 2**20 else ordinal % size
        values = next(itertools.islice(itertools.product(*axes), position, None))
        return PointSampler(dict(zip(distributions, values, strict=True)))


SAMPLERS.add("grid", Grid)
