# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tree-structured Parzen estimator, in turns with small steps from the best trials: learns from few trials. The default.

The first trials are quasi-random, not random as Optuna's own are: ten random draws leave holes that the estimator is slow to look
into once it has found something good elsewhere. Where the search begins with a suggestion, or with what like campaigns found,
three of four are steps from the best of that. After them the estimator looks for good regions, and steps refine what it, or a
published profile that the campaign began with, has found.
"""

import math

from optuna.samplers import BaseSampler, TPESampler

from tuner.documents.samplers import Tpe
from tuner.search.samplers.base import SAMPLERS, Distributions, Prior, seed_of
from tuner.search.samplers.proposers.point import PointSampler, even_point, place_of
from tuner.search.samplers.proposers.steps import StepSampler

_LOOK_AROUND = 4
"""Ratio of an informed search's first trials to those that cover the space; the others are steps."""


def tpe(options: Tpe, distributions: Distributions, ordinal: int, given: Prior | None) -> BaseSampler:
    prior = given or Prior()
    starts = ordinal < options.startup_trials
    even = even_point(distributions, seed=options.seed, ordinal=ordinal)
    if prior.place is not None:
        even = prior.place(even, {name: place_of(distributions[name], value) for name, value in even.items()})
    if starts and not (prior.has_good_starts and options.steps and ordinal % _LOOK_AROUND):
        return PointSampler(even)
    if starts or math.floor((ordinal + 1) * options.steps) > math.floor(ordinal * options.steps):
        return StepSampler(distributions, seed=seed_of(options, ordinal), fallback=even, prior=given)
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
