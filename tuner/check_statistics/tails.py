# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How often nights are odd: rows of a table, each with the degrees of freedom of the Student t distribution that noise has.

A night is more than 10 standard deviations off once in 19 years with `heavy` and never with `light`. So a verdict about one night
needs a change of about 55 standard deviations with `heavy`, and 13 with `light`; after three nights they differ by little.

Source: K. L. Lange, R. J. A. Little and J. M. G. Taylor, "Robust statistical modeling using the t distribution", J. Am. Stat.
Assoc. 84, 1989.
"""

import math
from collections.abc import Mapping

import numpy as np

from tuner.check_statistics.whitening import Array

TAILS: Mapping[str, int] = {"heavy": 4, "medium": 8, "light": 16}
"""Degrees of freedom, powers of two from 2 on, by name."""


def log_density(squares: Array, freedom: int) -> Array:
    """Returns the logarithm of the density at values of these squares."""
    constant = math.lgamma((freedom + 1) / 2) - math.lgamma(freedom / 2) - 0.5 * math.log(math.pi * freedom)
    return np.asarray(constant - 0.5 * (freedom + 1) * np.log1p(squares / freedom))


def density_ratio(squares: Array, above: Array, freedom: int) -> Array:
    """Returns the density at values of `squares` over the density at values of `above`. Overwrites `squares`."""
    squares /= freedom
    squares += 1
    ratio = np.divide(1 + above / freedom, squares, out=squares)
    root = np.sqrt(ratio)
    for _ in range(freedom.bit_length() - 2):  # to the power of freedom / 2
        ratio *= ratio
    return np.asarray(np.multiply(ratio, root, out=ratio))
