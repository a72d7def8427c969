# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quasi-random points: cover the space more evenly than random draws, at any number of trials."""

from typing import TYPE_CHECKING, Literal

from tuner.search.samplers.base import SAMPLERS, Distributions, SamplerOptions

if TYPE_CHECKING:
    from optuna.samplers import BaseSampler


class Qmc(SamplerOptions):
    kind: Literal["qmc"] = "qmc"

    def sampler(self, distributions: Distributions, ordinal: int) -> "BaseSampler":
        from tuner.search.samplers.proposers.point import PointSampler, even_point

        return PointSampler(even_point(distributions, seed=self.seed, ordinal=ordinal))


SAMPLERS.add("qmc", Qmc)
