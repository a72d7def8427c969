# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tree-structured Parzen estimator: learns which regions are good from few trials. The default."""

from typing import Annotated, Literal

from optuna.samplers import BaseSampler, TPESampler

from tuner.documents.model import Within
from tuner.samplers.base import SAMPLERS, Distributions, SamplerOptions


class Tpe(SamplerOptions):
    kind: Literal["tpe"] = "tpe"
    startup_trials: Annotated[int, Within(1, 10_000)] = 10
    """So many finished trials are wanted before the estimator proposes; until then draws are random."""
    candidates: Annotated[int, Within(1, 10_000)] = 64
    """Draws from the good region, of which the most promising one is measured."""

    def sampler(self, distributions: Distributions, ordinal: int) -> BaseSampler:
        return TPESampler(
            n_startup_trials=self.startup_trials,
            n_ei_candidates=self.candidates,
            multivariate=True,  # CCTI_Timer, Marking_Rate and the curve act together
            constant_liar=True,  # keeps trials that run at once apart
            seed=self.seed_of(ordinal),
        )


SAMPLERS.add("tpe", Tpe)
