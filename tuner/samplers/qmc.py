# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Quasi-random points (a scrambled Sobol sequence): covers the space more evenly than random draws. Needs scipy."""

import importlib.util
from typing import Literal

from optuna.samplers import BaseSampler, QMCSampler

from tuner.errors import BadInputError
from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions


class Qmc(SamplerOptions):
    kind: Literal["qmc"] = "qmc"

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        if importlib.util.find_spec("scipy") is None:
            raise BadInputError("sampler 'qmc' needs scipy, which is not installed; install ibcc[qmc] or choose sampler 'random'")
        # One sequence, so one seed: its position is kept in the campaign's storage.
        return QMCSampler(scramble=True, seed=self.seed, warn_asynchronous_seeding=False, warn_independent_sampling=False)


SAMPLERS.add("qmc", Qmc)
