# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quasi-random points: cover the space more evenly than random draws, at any number of trials."""

from typing import Literal

from optuna.samplers import BaseSampler

from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions
from tuner.samplers.point import PointSampler, even_point


class Qmc(SamplerOptions):
    kind: Literal["qmc"] = "qmc"

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        return PointSampler(even_point(distributions, seed=self.seed, ordinal=ordinal))


SAMPLERS.add("qmc", Qmc)
