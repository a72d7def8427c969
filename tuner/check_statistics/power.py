# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The least change that is found after so many nights: simulated, with the same noise for every size of the change."""

import math
from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.series import Assumptions, Series
from tuner.check_statistics.simulated_noise import autoregressive
from tuner.check_statistics.threshold import ALARM_PROBABILITY, threshold
from tuner.errors import BadInputError

LARGEST = 200.0
"""Standard deviations up to which a change is sought."""
_SMALLEST = 0.5
_SERIES = 200
_HALVINGS = 8


def least_change(
    baseline: int,
    metrics: int,
    assumptions: Assumptions,
    *,
    alarm_probability: float = ALARM_PROBABILITY,
    nights: Sequence[int] = (1, 3, 7),
    power: float = 0.9,
    rho: float = 0.0,
) -> dict[int, float | None]:
    """Returns for each number of nights the least step, in standard deviations of a night, that is found by then with probability
    `power`; None above 200. The noise is normal, and a night resembles the one before by `rho`. The step is there from the first
    night after a baseline of so many nights on. Before a later one, nights without a change add to what is known.

    Good to about 5 %. Takes about a second of CPU. Raises BadInputError as threshold, and for a power not between 0 and 1.
    """
    if not 0 < power < 1:
        raise BadInputError(f"the power is {power:g}; it must be between 0 and 1")
    limit = math.log(threshold(metrics, alarm_probability))
    noise = autoregressive(np.random.default_rng(1), _SERIES, baseline + max(nights), rho)

    def found(count: int, change: float) -> bool:
        values = noise[:, : baseline + count].copy()
        values[:, baseline:] += change
        fine = np.full(_SERIES, 1e-9)
        path = log_evidence(
            values,
            np.arange(values.shape[1]),
            baseline,
            fine,
            assumptions.rhos,
            assumptions.freedom,
            jobs=assumptions.jobs,
        )
        return bool((path.max(axis=1) >= limit).mean() >= power)

    return {count: _least(partial(found, count)) for count in nights}


def limits(series: Series, change: float) -> tuple[float, float]:
    """Returns the values, in the metric's units, that are a step of so many standard deviations below and above the middle of the
    series' baseline; its standard deviation is a robust estimate, at least the resolution."""
    assumed = series.assumptions
    values = series.scaled()[None, : series.count]
    _, middle, spread = standardized(values, series.count, np.array([assumed.resolution]))
    low, high = assumed.row.backward(middle + change * spread * np.array([-1.0, 1.0]))
    return float(low), float(high)


def _least(found: Callable[[float], bool]) -> float | None:
    """Returns the least change that is found, to about 1 %; None if the largest is not."""
    low, high = math.log(_SMALLEST), math.log(LARGEST)
    if not found(LARGEST):
        return None
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        low, high = (low, middle) if found(math.exp(middle)) else (middle, high)
    return math.exp(high)
