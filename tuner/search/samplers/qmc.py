# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quasi-random points: cover the space more evenly than random draws, at any number of trials."""

from optuna.samplers import BaseSampler

from tuner.documents.samplers import Qmc
from tuner.search.samplers.base import SAMPLERS, Distributions, Prior
from tuner.search.samplers.proposers.point import PointSampler, even_point


def qmc(options: Qmc, distributions: Distributions, ordinal: int, prior: Prior | None) -> BaseSampler:
    return PointSampler(even_point(distributions, seed=options.seed, ordinal=ordinal))


SAMPLERS.add("qmc", qmc)
