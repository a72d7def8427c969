# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Independent uniform draws: the honest baseline for every other sampler."""

from optuna.samplers import BaseSampler, RandomSampler

from tuner.documents.samplers import Random
from tuner.search.samplers.base import SAMPLERS, Distributions, Prior, seed_of


def random(options: Random, distributions: Distributions, ordinal: int, prior: Prior | None) -> BaseSampler:
    return RandomSampler(seed=seed_of(options, ordinal))


SAMPLERS.add("random", random)
