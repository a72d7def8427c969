# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Independent uniform draws: the honest baseline for every other sampler."""

from typing import TYPE_CHECKING, Literal

from tuner.search.samplers.base import SAMPLERS, Distributions, SamplerOptions

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Random(SamplerOptions):
    kind: Literal["random"] = "random"

    def sampler(self, distributions: Distributions, ordinal: int) -> "BaseSampler":
        from optuna.samplers import RandomSampler

        return RandomSampler(seed=self.seed_of(ordinal))


SAMPLERS.add("random", Random)
