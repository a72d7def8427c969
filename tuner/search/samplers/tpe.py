# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tree-structured Parzen estimator, by turns with small steps away from the best: learns from few trials. The default.

The first trials are quasi-random, not random as Optuna's own are: ten random draws leave holes that the estimator is slow to look
into, once it has found something good elsewhere. After them the estimator looks for good regions, and steps refine what it, or a
published profile that the campaign began with, has brought.
"""

import math
from typing import TYPE_CHECKING, Annotated, Literal

from tuner.document_base.model import Within
from tuner.search.samplers.base import SAMPLERS, Distributions, SamplerOptions

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Tpe(SamplerOptions):
    kind: Literal["tpe"] = "tpe"
    startup_trials: Annotated[int, Within(1, 10_000)] = 16
    """The estimator proposes from this trial on, counted from 0; those before cover the space evenly."""
    candidates: Annotated[int, Within(1, 10_000)] = 64
    """Draws from the good region, of which the most promising one is measured."""
    steps: Annotated[float, Within(0, 1)] = 0.5
    """Part of the later trials that are small steps from the front; 0: none, the estimator proposes them all."""

    def sampler(self, distributions: Distributions, ordinal: int) -> "BaseSampler":
        from optuna.samplers import TPESampler

        from tuner.search.samplers.proposers.point import PointSampler, even_point
        from tuner.search.samplers.proposers.steps import StepSampler

        if ordinal < self.startup_trials:
            return PointSampler(even_point(distributions, seed=self.seed, ordinal=ordinal))
        if math.floor((ordinal + 1) * self.steps) > math.floor(ordinal * self.steps):
            fallback = even_point(distributions, seed=self.seed, ordinal=ordinal)
            return StepSampler(distributions, seed=self.seed_of(ordinal), fallback=fallback)
        return TPESampler(
            n_startup_trials=max(
                1, self.startup_trials // 2
            ),  # fewer finished than that: random, for there is nothing to learn from
            n_ei_candidates=self.candidates,
            multivariate=True,  # CCTI_Timer, Marking_Rate and the curve act together
            constant_liar=True,  # keeps trials that run at once apart
            seed=self.seed_of(ordinal),
        )


SAMPLERS.add("tpe", Tpe)
