# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Genetic search (NSGA-II): for budgets of several hundred trials and more."""

from optuna.samplers import BaseSampler, NSGAIISampler

from tuner.documents.samplers import Nsga2
from tuner.search.samplers.base import SAMPLERS, Distributions, Prior, seed_of


def nsga2(options: Nsga2, distributions: Distributions, ordinal: int, prior: Prior | None) -> BaseSampler:
    return NSGAIISampler(population_size=options.population, seed=seed_of(options, ordinal))


SAMPLERS.add("nsga2", nsga2)
