# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How probable the nights are if the mean has changed, summed over the nights on which it can have changed.

Mean and scale are drawn from a few values, with the weights that the baseline gives them; the change from `CHANGES`, in scales.
A large change has a larger scale after it, so that few changes cover all. The sum over the nights on which the change can have
begun is a recursion: what began before continues, and one begins.
"""

import math

import numpy as np

from tuner.check_statistics.null_density import Nodes, spread_of_mean, spread_of_scale
from tuner.check_statistics.tails import density_ratio, log_density
from tuner.check_statistics.whitening import Array, Whitening

_SIZES = 0.8 * 1.35 ** np.arange(17)
CHANGES = np.concatenate([_SIZES, -_SIZES, [0.0]])
"""Changes in scales, with equal weights: from 0.8 to 97 in steps of a third, and one for all that is larger."""
WIDER = np.concatenate([np.maximum(1, _SIZES / 10), np.maximum(1, _SIZES / 10), [100.0]])
"""The scale after each change over the one before it."""

_OFFSETS = np.arange(-3.0, 4.0)
_LARGEST = 1e250


def change_nodes(values: Array, white: Whitening, baseline: int, rho: float, freedom: int, resolution: Array) -> Nodes:
    """Returns (S, J) means and scales about the most probable ones of S baselines, with weights that sum to 1.

    Arguments as for log_null_density.
    """
    seen, one = white.apply(values[:, :baseline]), white.apply(np.ones(baseline))
    mean, scale = _fit(seen, one, freedom, resolution)
    wide, high = spread_of_mean(baseline, rho, freedom), spread_of_scale(baseline, freedom)
    across, up = (grid.ravel() for grid in np.meshgrid(_OFFSETS, _OFFSETS))
    scales = np.maximum(scale[:, None] * np.exp(up * high), resolution[:, None])
    means = mean[:, None] + across * wide * scales
    residual = (seen[:, :, None] - one[:, None] * means[:, None]) / scales[:, None]
    log_weight = log_density(residual * residual, freedom).sum(axis=1) - (baseline - 1) * np.log(scales)
    weight = np.exp(log_weight - log_weight.max(axis=1, keepdims=True))
    return Nodes(means, scales, weight / weight.sum(axis=1, keepdims=True))


def log_change_density(values: Array, white: Whitening, baseline: int, rho: float, freedom: int, resolution: Array) -> Array:
    """Returns (S, T): the logarithm of the density of the nights so far, given the baseline, summed over the nights on which a
    change can have begun. Arguments as for log_null_density.
    """
    nodes = change_nodes(values, white, baseline, rho, freedom, resolution)
    seen, one = white.apply(values)[:, baseline:], white.apply(np.ones(values.shape[1]))[baseline:]
    before, scale = white.before[baseline:], white.scale[baseline:]
    log_weight = np.log(np.maximum(nodes.weight, 1e-300))
    ratio = np.zeros((*nodes.mean.shape, len(CHANGES)))
    path = np.empty(seen.shape)
    for i in range(seen.shape[1]):
        residual = (seen[:, i, None] - one[i] * nodes.mean) / nodes.scale
        square = residual * residual
        log_weight = log_weight + log_density(square, freedom) - (np.log(nodes.scale) + math.log(scale[i]))
        residual, square = residual[:, :, None], square[:, :, None]
        first = _ratio(residual, square, CHANGES / scale[i], freedom)
        if before[i]:
            ratio *= _ratio(residual, square, CHANGES * ((1 - before[i]) / scale[i]), freedom)
            ratio += first
        else:
            ratio += 1
            ratio *= first
        np.minimum(ratio, _LARGEST, out=ratio)
        terms = np.log(ratio.mean(axis=2)) + log_weight
        most = terms.max(axis=1, keepdims=True)
        path[:, i] = most[:, 0] + np.log(np.exp(terms - most).sum(axis=1))
    return path


def _ratio(residual: Array, square: Array, change: Array, freedom: int) -> Array:
    """Returns the density after the change over the one before it."""
    after = residual - change
    after /= WIDER
    after *= after
    ratio = density_ratio(after, square, freedom)
    ratio /= WIDER
    return ratio


def _fit(seen: Array, one: Array, freedom: int, resolution: Array) -> tuple[Array, Array]:
    """Returns the most probable mean and scale of each series, by iteratively reweighted least squares."""
    scale = np.maximum(np.ones(len(seen)), resolution)
    mean = np.zeros(len(seen))
    for _ in range(30):
        square = (seen - one * mean[:, None]) ** 2
        weight = (freedom + 1) / (freedom + square / scale[:, None] ** 2)
        mean = (weight * seen * one).sum(axis=1) / (weight * one**2).sum(axis=1)
        square = (seen - one * mean[:, None]) ** 2
        scale = np.maximum(np.sqrt((weight * square).sum(axis=1) / (seen.shape[1] - 1)), resolution)
    return mean, scale
