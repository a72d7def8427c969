# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Noise of a metric in nights without a fault, beside what is assumed of it."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.evidence import standardized
from tuner.check_statistics.series import Assumptions
from tuner.check_statistics.tails import TAILS
from tuner.check_statistics.whitening import Array

_STEPS = 200


@dataclass(frozen=True, kw_only=True)
class Noise:
    """Noise on the metric's scale. `deviation`: robust standard deviation. `next_night`: correlation with the night before, and
    `highest`: the upper end of its 95 % interval. `furthest`: the night that is the furthest from the middle, in `deviation`.
    `tails`: those of TAILS under which the nights are most probable; `less`: by how much less probable they are under those that
    are assumed, as a natural logarithm. None where all nights are the same."""

    nights: int
    deviation: float
    next_night: float
    highest: float
    furthest: float | None
    tails: str | None
    less: float | None


def noise_of(series: Sequence[Sequence[float]], assumed: Assumptions) -> Noise:
    """`series`: one or more, each with its own middle; correlations are within each."""
    scaled = [assumed.row.forward(np.array(one, dtype=float), assumed.floor) for one in series]
    centred = [one - np.median(one) for one in scaled]
    every = np.concatenate(centred)
    deviation = float(standardized(every[None, :], len(every), np.array([1e-12]))[2][0])
    next_night = _next_night(scaled)
    highest = next_night + 1.96 / math.sqrt(len(every))
    if deviation <= assumed.resolution * 1e-3:  # more than half of the nights are the same
        return Noise(
            nights=len(every), deviation=deviation, next_night=next_night, highest=highest, furthest=None, tails=None, less=None
        )
    likely = {name: _log_likelihood(every, freedom) for name, freedom in TAILS.items()}
    best = max(likely, key=lambda name: likely[name])
    return Noise(
        nights=len(every),
        deviation=deviation,
        next_night=next_night,
        highest=highest,
        furthest=float(np.abs(every).max() / deviation),
        tails=best,
        less=likely[best] - likely[assumed.tails],
    )


def _next_night(series: Sequence[Array]) -> float:
    centred = [one - one.mean() for one in series if np.ptp(one)]
    squares = sum(float((one**2).sum()) for one in centred)
    return sum(float((one[1:] * one[:-1]).sum()) for one in centred) / squares if squares else 0.0


def _log_likelihood(values: Array, freedom: float) -> float:
    """Returns the greatest logarithm of the density of independent values, but for a constant, over middle and scale: by the
    iteration of Lange, Little and Taylor (1989)."""
    middle, square = float(np.median(values)), float(values.var())
    for _ in range(_STEPS):
        weights = (freedom + 1) / (freedom + (values - middle) ** 2 / square)
        middle = float((weights * values).sum() / weights.sum())
        square = float((weights * (values - middle) ** 2).mean())
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(freedom * square)
    return len(values) * constant - (freedom + 1) / 2 * float(np.log1p((values - middle) ** 2 / (freedom * square)).sum())
