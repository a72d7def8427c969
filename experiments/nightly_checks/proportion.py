# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A share of trials, with its interval."""

from scipy.stats import beta

_CONFIDENCE = 0.95


def interval(hits: int, trials: int) -> tuple[float, float]:
    """Returns the 95 % interval of Clopper and Pearson (Biometrika 26, 1934) for the probability of a hit; `trials` at least 1."""
    tail = (1 - _CONFIDENCE) / 2
    low = float(beta.ppf(tail, hits, trials - hits + 1)) if hits else 0.0
    high = float(beta.ppf(1 - tail, hits + 1, trials - hits)) if hits < trials else 1.0
    return low, high
