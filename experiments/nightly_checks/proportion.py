# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A share of trials, with its interval."""

import math
from collections.abc import Callable

_CONFIDENCE = 0.95
_HALVINGS = 60


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Returns the 95 % interval of Clopper and Pearson (Biometrika 26, 1934) for the probability of a hit; at least one trial."""
    tail = (1 - _CONFIDENCE) / 2
    low = _root(lambda p: _at_least(hits, trials, p) - tail) if hits else 0.0
    high = _root(lambda p: tail - (1 - _at_least(hits + 1, trials, p))) if hits < trials else 1.0
    return low, high


def _at_least(hits: int, trials: int, probability: float) -> float:
    """Returns the probability of so many hits or more; `probability` above 0 and below 1."""
    logs = math.log(probability), math.log1p(-probability)
    return math.fsum(
        math.exp(
            math.lgamma(trials + 1) - math.lgamma(k + 1) - math.lgamma(trials - k + 1) + k * logs[0] + (trials - k) * logs[1]
        )
        for k in range(hits, trials + 1)
    )


def _root(rising: Callable[[float], float]) -> float:
    low, high = 0.0, 1.0
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if rising(middle) > 0 else (middle, high)
    return (low + high) / 2
