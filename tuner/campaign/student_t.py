# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Student's t distribution for whole degrees of freedom: what turns a standard error from few replicates into an interval.

A campaign has three to ten seeds. A normal quantile would make its intervals too narrow by a factor of up to two, and
resampling so few values (the bootstrap) by about as much; Student's t is exact if the differences are normal.
"""

import math

_HALVINGS = 60


def central_probability(t: float, freedom: int) -> float:
    """The probability that |T| is at most `t` (at least 0) with `freedom` degrees of freedom (at least 1).

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 (odd) and 26.7.4 (even); finite sums, exact.
    """
    return _central(math.atan2(t, math.sqrt(freedom)), freedom)


def quantile(probability: float, freedom: int) -> float:
    """The t that T exceeds with probability 1 - `probability`, from 0.5 to below 1.

    Raises ValueError for a probability or degrees of freedom out of range.
    """
    if not 0.5 <= probability < 1 or freedom < 1:
        raise ValueError(f"no quantile of Student's t at probability {probability:g} with {freedom} degrees of freedom")
    wanted, low, high = 2 * probability - 1, 0.0, math.pi / 2
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (middle, high) if _central(middle, freedom) < wanted else (low, middle)
    return math.tan(low) * math.sqrt(freedom)


def _central(angle: float, freedom: int) -> float:
    """Returns the central probability at the angle whose tangent is t over the root of the degrees of freedom: from 0 at 0 to 1
    at a right angle."""
    sine, cosine = math.sin(angle), math.cos(angle)
    odd = freedom % 2
    term, total = (cosine, 0.0) if odd else (1.0, 0.0)
    for order in range(2 + odd, freedom + 1, 2):  # cos^(order - 2), its coefficient built up from the one before
        total += term
        term *= cosine**2 * (order - 1) / order
    return 2 / math.pi * (angle + sine * total) if odd else sine * total
