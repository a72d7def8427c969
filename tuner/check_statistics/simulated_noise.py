# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Noise of simulated nights, each of which resembles the one before it."""

import numpy as np

from tuner.check_statistics.whitening import Array


def autoregressive(random: np.random.Generator, series: int, nights: int, rho: float) -> Array:
    """Returns (series, nights) normal values with mean 0, standard deviation 1, and the correlation `rho` to the night before."""
    values = random.standard_normal((series, nights))
    for night in range(1, nights):
        values[:, night] = rho * values[:, night - 1] + np.sqrt(1 - rho**2) * values[:, night]
    return values


def jobs_of_nights(random: np.random.Generator, series: int, count: int, *, nights: int, share: float) -> Array:
    """Returns (series, count): 1 in nights of a job, which lasts `nights` of them, and 0 in the `1 - share` of the others."""
    begin = share / (nights * (1 - share))
    found = np.zeros((series, count))
    for row in found:
        night = int(random.integers(-nights, 1))
        while night < count:
            night += int(random.geometric(begin)) - 1
            row[max(0, night) : max(0, night + nights)] = 1
            night += nights
    return found


def yearly_wave(random: np.random.Generator, series: int, count: int, size: float) -> Array:
    """Returns (series, count): waves of a year, up to `size` above and below 0, each with a phase of its own."""
    phase = random.uniform(0, 2 * np.pi, (series, 1))
    return np.asarray(size * np.sin(2 * np.pi * np.arange(count) / 365 + phase))
