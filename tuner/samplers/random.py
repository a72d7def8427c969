# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Independent uniform draws: the honest baseline for every other sampler."""

from typing import Literal

from optuna.samplers import BaseSampler, RandomSampler

from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions


class Random(SamplerOptions):
    kind: Literal["random"] = "random"

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        return RandomSampler(seed=self.seed_of(ordinal))


SAMPLERS.add("random", Random)
