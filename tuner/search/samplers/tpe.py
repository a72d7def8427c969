# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tree-structured Parzen estimator, in turns with small steps from the best trials: learns from few trials. The default.

The first trials are quasi-random, not random as Optuna's own are: ten random draws leave holes that the estimator is slow to look
into once it has found something good elsewhere. After them the estimator looks for good regions, and steps refine what it, or a
published profile that the campaign began with, has found.
"""

import math

from optuna.samplers import BaseSampler, TPESampler

from tuner.documents.samplers import Tpe
from tuner.search.samplers.base import SAMPLERS, Distributions, seed_of
from tuner.search.samplers.proposers.point import PointSampler, even_point
from tuner.search.samplers.proposers.steps import StepSampler


def tpe(options: Tpe, distributions: Distributions, ordinal: int) -> BaseSampler:
    if ordinal < options.startup_trials:
        return PointSampler(even_point(distributions, seed=options.seed, ordinal=ordinal))
    if math.floor((ordinal + 1) * options.steps) > math.floor(ordinal * options.steps):
        fallback = even_point(distributions, seed=options.seed, ordinal=ordinal)
        return StepSampler(distributions, seed=seed_of(options, ordinal), fallback=fallback)
    return TPESampler(
        n_startup_trials=max(
            1, options.startup_trials // 2
        ),  # fewer finished than that: random, for there is nothing to learn from
        n_ei_candidates=options.candidates,
        multivariate=True,  # CCTI_Timer, Marking_Rate and the curve act together
        constant_liar=True,  # keeps trials that run at once apart
        seed=seed_of(options, ordinal),
    )


SAMPLERS.add("tpe", tpe)
