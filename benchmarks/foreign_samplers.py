# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Samplers that ibcc does not ship, for the comparison: what they would need is heavy, or they fit campaigns badly.

`gp` is Optuna's Gaussian process with expected hypervolume improvement under constraints; it needs SciPy and PyTorch. `cma-es` is
Optuna's CMA-ES, for one objective and no constraint; it needs cmaes.
"""

from collections.abc import Callable, Mapping
from types import MappingProxyType

from optuna.samplers import BaseSampler

STARTUP = 10
"""Random trials before the model: Optuna's default."""


def gaussian_process(seed: int) -> BaseSampler:
    from optuna.samplers import GPSampler

    return GPSampler(seed=seed, n_startup_trials=STARTUP)


def cma_es(seed: int) -> BaseSampler:
    from optuna.samplers import CmaEsSampler

    return CmaEsSampler(seed=seed, n_startup_trials=STARTUP, with_margin=True, warn_independent_sampling=False)


FOREIGN: Mapping[str, Callable[[int], BaseSampler]] = MappingProxyType({"gp": gaussian_process, "cma-es": cma_es})
"""Samplers by kind. Each entry makes the sampler of a whole search."""
SCALAR = ("cma-es",)
"""Kinds that are told one number: the hypervolume that the trial dominates alone, negative, or 1 plus what it violates."""
