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
