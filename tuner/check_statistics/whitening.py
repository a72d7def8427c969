# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights that resemble the night before: autoregressive noise of first order, turned into independent noise.

A value resembles the one before it by `rho` to the power of the nights between them, so a missed night needs no value. The first
value is kept as it is, as Prais and Winsten do: noise has its stationary standard deviation from the first night on.

Source: S. J. Prais and C. B. Winsten, "Trend estimators and serial correlation", Cowles Commission paper 383, 1954.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

Array = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Whitening:
    """For values at so many positions: `before`, the correlation with the value before (0 for the first one), and `scale`, what
    is left of a standard deviation when the value before is known (1 for the first one). Both have a value for each position."""

    before: Array
    scale: Array

    def apply(self, values: Array) -> Array:
        """Returns (values - before * the values before) / scale along the last axis, which begins at the first position."""
        count = values.shape[-1]
        white = values.copy()
        white[..., 1:] -= self.before[1:count] * values[..., :-1]
        return np.asarray(white / self.scale[:count])


def whitening(positions: npt.NDArray[np.int_], rho: float) -> Whitening:
    """Returns the whitening for values of the nights `positions` (rising) and the correlation `rho` (0 to below 1) of two nights
    that follow each other."""
    before = np.zeros(len(positions))
    if rho:
        before[1:] = rho ** np.diff(positions)
    return Whitening(before, np.sqrt(1 - before**2))
