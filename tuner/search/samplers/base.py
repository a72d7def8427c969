# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of every sampler: a function that makes the Optuna sampler of one trial, and seeds that survive an interruption."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
from optuna.distributions import BaseDistribution
from optuna.samplers import BaseSampler

from tuner.documents.samplers import SamplerOptions
from tuner.registry import Registry

Distributions: TypeAlias = Mapping[str, BaseDistribution]


Follow: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, Any], Collection[str]], dict[str, Any]]
"""Function of the values before a step, those after it, and the names that it moved: the values with those that must follow for
the step to change one thing only."""


Place: TypeAlias = Callable[[Mapping[str, Any], Mapping[str, float]], dict[str, Any]]
"""Function of a point that covers a space evenly, and the place of each of its values in its range, from 0 to 1: the point where
something may be expected."""


@dataclass(frozen=True, kw_only=True)
class Prior:
    """Knowledge that a search starts from."""

    has_good_starts: bool = False
    """It begins with profiles that are likely to be good, so it need not look for the first good one everywhere."""
    follow: Follow | None = None
    """None: no value follows another."""
    place: Place | None = None
    """None: any point is as good as another."""


SAMPLERS: Registry[Callable[[Any, Distributions, int, Prior | None], BaseSampler]] = Registry("sampler", "tuner.search.samplers")
"""Samplers by kind. A file of this package adds its function in its last line; its first argument is the kind's options, a class
of tuner/documents/samplers.py."""


def sampler_of(options: SamplerOptions, distributions: Distributions, ordinal: int, prior: Prior | None = None) -> BaseSampler:
    """The Optuna sampler that proposes trial number `ordinal` (from 0; lost trials do not count).

    Each trial has a new one, with a seed from (seed, ordinal): what it proposes depends on the trials before it and on nothing
    that dies with the process, so an interrupted campaign continues as it would have.
    """
    return SAMPLERS.get(options.kind)(options, distributions, ordinal, prior)


def seed_of(options: SamplerOptions, ordinal: int) -> int:
    return int(np.random.SeedSequence([options.seed, ordinal]).generate_state(1)[0])
