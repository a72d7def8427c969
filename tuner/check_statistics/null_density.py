# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How probable a metric's values are if nothing has changed, whatever their mean and standard deviation are.

Mean and scale have the right Haar prior, 1/scale, so that the result is the density of what a change of unit or origin leaves
the same; with the scale at least a resolution. The integral is a sum over a grid whose steps are below twice the standard
deviation of mean and scale after all nights: the trapezoidal rule has an error of about 1 % there (L. N. Trefethen and
J. A. C. Weideman, "The exponentially convergent trapezoidal rule", SIAM Rev. 56, 2014).
"""

import math
from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.jobs import Jobs, Occupied
from tuner.check_statistics.tails import log_density
from tuner.check_statistics.whitening import Array, Whitening

_REACH = 4.5
"""Standard deviations of the mean and of the logarithm of the scale, after the baseline, to which the grid reaches."""
_STEP = 1.8
"""Step of the grid, in their standard deviations after all nights."""
_ABOVE = 1.2
"""What the grid reaches further up in the logarithm of the scale: nights that do not fit make it larger."""


@dataclass(frozen=True)
class Nodes:
    """Means and scales with their weights: arrays of one shape."""

    mean: Array
    scale: Array
    weight: Array


def spread_of_mean(count: int, rho: float, freedom: int) -> float:
    """The standard deviation of the mean, in scales, after `count` values, by Fisher's information."""
    return math.sqrt((freedom + 3) / (freedom + 1) / count * (1 + rho) / (1 - rho))


def spread_of_scale(count: int, freedom: int) -> float:
    """The standard deviation of the logarithm of the scale after `count` values, by Fisher's information."""
    return math.sqrt((freedom + 3) / (2 * freedom) / count)


def null_nodes(baseline: int, count: int, rho: float, freedom: int) -> Nodes:
    """Returns the grid for values that have the baseline's median at 0 and its median absolute deviation at 1 (normal units).

    `baseline`, `count`: number of values in the baseline, and in all.
    """
    step = _STEP * spread_of_scale(count, freedom)
    reach = _REACH * spread_of_scale(baseline, freedom) + 0.4
    logs = step * np.arange(-math.ceil(reach / step), math.ceil((reach + _ABOVE) / step) + 1)
    spacing = _STEP * spread_of_mean(count, rho, freedom)
    furthest = _REACH * spread_of_mean(baseline, rho, freedom) + 0.3
    means, scales = [], []
    for scale in np.exp(logs):
        each = math.ceil(max(furthest / scale, _REACH * spread_of_mean(baseline, rho, freedom)) / spacing)
        means.append(scale * spacing * np.arange(-each, each + 1))
        scales.append(np.full(2 * each + 1, scale))
    scale = np.concatenate(scales)
    return Nodes(np.concatenate(means), scale, scale * spacing * step)


def log_null_density(
    values: Array, white: Whitening, baseline: int, rho: float, freedom: int, resolution: Array, jobs: Jobs | None = None
) -> Array:
    """Returns (S, T + 1): the logarithm of the density after the baseline and after each of T nights.

    `values`: (S, baseline + T), standardized as null_nodes has it. `resolution`: (S), the least scale, at most 1. `jobs`: those
    that some nights have; with them, `rho` is 0.
    """
    count = values.shape[1]
    nodes = null_nodes(baseline, count, rho, freedom)
    seen, one = white.apply(values), white.apply(np.ones(count))
    total = np.where(nodes.scale >= resolution[:, None] * (1 - 1e-9), np.log(nodes.weight), -np.inf)
    path = np.empty((len(values), count - baseline + 1))
    occupied = None if jobs is None else Occupied(jobs, freedom)
    log_scale = np.log(nodes.scale)
    for i in range(count):
        residual = (seen[:, i, None] - one[i] * nodes.mean) / nodes.scale
        square = residual * residual
        total += log_density(square, freedom) - (log_scale + math.log(white.scale[i]))
        if occupied is not None:
            total += np.log(occupied.ratio(residual, square))
        if i >= baseline - 1:
            most = total.max(axis=1, keepdims=True)
            path[:, i - baseline + 1] = most[:, 0] + np.log(np.exp(total - most).sum(axis=1))
    return path
