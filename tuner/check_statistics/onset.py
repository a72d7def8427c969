# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Since when a metric has changed, how, and by how much, given that it has.

For every shape, first changed night and correlation the mean before, the change and the scale are fitted by maximum likelihood
under Student's t noise (iteratively reweighted least squares: Lange, Little and Taylor 1989). A fit's weight is its likelihood
times what the integral over mean and change leaves (Laplace's method: R. E. Kass and A. E. Raftery, "Bayes factors", J. Am. Stat.
Assoc. 90, 1995); all sizes of the change on the last night, in scales, are as probable. Intervals come from draws: of a fit by
its weight, and of its parameters by their standard errors.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tuner.check_statistics.change_shapes import SHAPES
from tuner.check_statistics.tails import log_density
from tuner.check_statistics.whitening import Array, whitening

_ROUNDS = 12
_DRAWS = 4000


@dataclass(frozen=True)
class Onset:
    """`since`: draws of the first changed position. `before`, `after`: draws of the mean before it and at the last position, all
    of one length. `most`: the most probable first changed position, and `kind`: "step" or "drift"."""

    most: int
    kind: str
    since: npt.NDArray[np.int_]
    before: Array
    after: Array


@dataclass(frozen=True)
class _Fits:
    """One row for each first changed night, with the rows of a shape and a correlation together."""

    log_weight: Array
    mean: Array
    change: Array
    covariance: Array
    end: Array
    """Part of the change that is there at the last position."""


def onset(
    values: Array, positions: npt.NDArray[np.int_], baseline: int, resolution: float, rhos: Sequence[float], freedom: int
) -> Onset:
    """Returns what is known of the change. `values`: (L), standardized, at the nights `positions` (L); the others as for
    log_evidence, with at least one value after the baseline. The draws have a fixed seed."""
    starts = positions[baseline:]
    fits = [
        _fits(values, positions, shape.part(positions - starts[:, None]), resolution, rho, freedom)
        for shape in SHAPES
        for rho in rhos
    ]
    prior = np.repeat([shape.weight for shape in SHAPES], len(rhos))[:, None]
    log_weight = np.stack([fit.log_weight for fit in fits]) + np.log(prior)
    weight = np.exp(log_weight - log_weight.max())
    weight /= weight.sum()
    steps = weight.reshape(len(SHAPES), len(rhos), len(starts)).sum(axis=1)
    kinds = {kind: sum(steps[i] for i, shape in enumerate(SHAPES) if shape.kind == kind) for kind in ("step", "drift")}
    kind = max(kinds, key=lambda name: float(np.sum(kinds[name])))
    random = np.random.default_rng(20)
    cells = random.choice(weight.size, size=_DRAWS, p=weight.ravel())
    mean, change, end = (np.concatenate([getattr(fit, name) for fit in fits])[cells] for name in ("mean", "change", "end"))
    roots = np.linalg.cholesky(np.concatenate([fit.covariance for fit in fits]))[cells]
    noise = np.einsum("dij,dj->di", roots, random.standard_normal((_DRAWS, 2)))
    noise *= np.sqrt((len(values) - 2) / random.chisquare(len(values) - 2, _DRAWS))[:, None]
    before = mean + noise[:, 0]
    after = before + (change + noise[:, 1]) * end
    since = starts[cells % len(starts)]
    return Onset(int(starts[int(np.argmax(kinds[kind]))]), kind, since, before, after)


def _fits(values: Array, positions: npt.NDArray[np.int_], parts: Array, resolution: float, rho: float, freedom: int) -> _Fits:
    """`parts`: (K, L), the part of the change at each position, for K first changed nights."""
    white = whitening(positions, rho)
    x, one, shape = white.apply(values), white.apply(np.ones(len(values))), white.apply(parts)
    scale = np.ones((len(parts), 1))
    weight = np.ones_like(parts)
    for _ in range(_ROUNDS):
        ones, both, shapes = (weight * one**2).sum(1), (weight * one * shape).sum(1), (weight * shape**2).sum(1)
        determinant = np.maximum(ones * shapes - both**2, 1e-12 * ones * shapes)
        left, right = (weight * one * x).sum(1), (weight * shape * x).sum(1)
        mean = (shapes * left - both * right) / determinant
        change = (ones * right - both * left) / determinant
        square = (x - mean[:, None] * one - change[:, None] * shape) ** 2
        scale = np.maximum(np.sqrt((weight * square).sum(1, keepdims=True) / (len(x) - 2)), resolution)
        weight = (freedom + 1) / (freedom + square / scale**2)
    ones, both, shapes = (one**2).sum(), shape @ one, (shape**2).sum(1)
    determinant = np.maximum(ones * shapes - both**2, 1e-12 * ones * shapes)
    inverse = np.stack([np.stack([shapes, -both], -1), np.stack([-both, np.full_like(both, ones)], -1)], -2)
    covariance = inverse * ((freedom + 3) / (freedom + 1) * scale[:, 0] ** 2 / determinant)[:, None, None]
    log_likelihood = (log_density(square / scale**2, freedom) - np.log(scale)).sum(1) - np.log(white.scale).sum()
    end = parts[:, -1]
    log_weight = log_likelihood - 0.5 * np.log(determinant) + np.log(scale[:, 0] * end)
    return _Fits(log_weight, mean, change, covariance, end)
