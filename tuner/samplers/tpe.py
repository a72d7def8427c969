# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tree-structured Parzen estimator: learns which regions are good from few trials. The default.

The first trials are quasi-random, not random as Optuna's own are: ten random draws leave holes that the estimator is slow to look
into, once it has found something good elsewhere.
"""

from typing import Annotated, Literal

from optuna.samplers import BaseSampler, TPESampler

from tuner.documents.model import Within
from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions
from tuner.samplers.point import PointSampler, even_point


class Tpe(SamplerOptions):
    kind: Literal["tpe"] = "tpe"
    startup_trials: Annotated[int, Within(1, 10_000)] = 16
    """The estimator proposes from this trial on, counted from 0; those before cover the space evenly."""
    candidates: Annotated[int, Within(1, 10_000)] = 64
    """Draws from the good region, of which the most promising one is measured."""

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        if ordinal < self.startup_trials:
            return PointSampler(even_point(distributions, seed=self.seed, ordinal=ordinal))
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
