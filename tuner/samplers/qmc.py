# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quasi-random points (a scrambled Sobol sequence): covers the space more evenly than random draws. Needs scipy."""

from typing import Literal

from optuna.samplers import BaseSampler

from tuner.errors import BadInputError
from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions
from tuner.samplers.point import PointSampler, value_at


class Qmc(SamplerOptions):
    kind: Literal["qmc"] = "qmc"

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        try:
            from scipy.stats.qmc import Sobol  # slow to import, and not everybody's
        except ImportError as error:
            raise BadInputError(
                "sampler 'qmc' needs scipy, which is not installed; install ibcc[qmc] or choose sampler 'random'"
            ) from error
        # One sequence, so one seed for all ordinals.
        sequence = Sobol(len(distributions), scramble=True, seed=self.seed)
        if ordinal:
            sequence.fast_forward(ordinal)  # refuses 0
        places = sequence.random(1)[0]
        values = {
            name: value_at(distribution, float(u)) for (name, distribution), u in zip(distributions.items(), places, strict=True)
        }
        return PointSampler(values)


SAMPLERS.add("qmc", Qmc)
