# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Selects the samples of a series that count. Documents use this module too, so it needs no arrays: they are slow to import."""

import math

# Times are sums of decimal fractions of a second: two that differ by less than this part of an interval are the same.
_SLACK = 1e-6


def window_samples(window_s: tuple[float, float], interval_s: float, n_samples: int) -> slice:
    """The samples that lie wholly inside a window."""
    first = math.ceil(window_s[0] / interval_s - _SLACK)
    last = math.floor(window_s[1] / interval_s + _SLACK)
    return slice(max(first, 0), min(last, n_samples))
