# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Genetic search (NSGA-II): for budgets of several hundred trials and more."""

from typing import TYPE_CHECKING, Annotated, Literal

from tuner.document_base.model import Within
from tuner.search.samplers.base import SAMPLERS, Distributions, SamplerOptions

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Nsga2(SamplerOptions):
    kind: Literal["nsga2"] = "nsga2"
    population: Annotated[int, Within(2, 10_000)] = 20
    """Profiles in a generation; the first generation is random."""

    def sampler(self, distributions: Distributions, ordinal: int) -> "BaseSampler":
        from optuna.samplers import NSGAIISampler

        return NSGAIISampler(population_size=self.population, seed=self.seed_of(ordinal))


SAMPLERS.add("nsga2", Nsga2)
