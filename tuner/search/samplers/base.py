# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of every sampler: a function that makes the Optuna sampler of one trial, and seeds that survive an interruption."""

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler

from tuner.documents.samplers import SamplerOptions
from tuner.registry import Registry

Distributions: TypeAlias = Mapping[str, BaseDistribution]

SAMPLERS: Registry[Callable[[Any, Distributions, int], BaseSampler]] = Registry("sampler", "tuner.search.samplers")
"""Samplers by kind. A file of this package adds its function in its last line; its first argument is the kind's options, a class
of tuner/documents/samplers.py."""


def sampler_of(options: SamplerOptions, distributions: Distributions, ordinal: int) -> BaseSampler:
    """The Optuna sampler that proposes trial number `ordinal` (from 0; lost trials do not count).

    Each trial has a new one, with a seed from (seed, ordinal): what it proposes depends on the trials before it and on nothing
    that dies with the process, so an interrupted campaign continues as it would have.
    """
    return SAMPLERS.get(options.kind)(options, distributions, ordinal)


def seed_of(options: SamplerOptions, ordinal: int) -> int:
    return int(np.random.SeedSequence([options.seed, ordinal]).generate_state(1)[0])
