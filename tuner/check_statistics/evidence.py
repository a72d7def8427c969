# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The evidence that a metric has changed: a Shiryaev-Roberts statistic whose chance of a false alarm is known.

The statistic of a night is the density of all values, summed over the nights on which a change can have begun, over the density
with no change, for the correlation of nights that is the most probable one. With no change its mean after t nights is at most t,
whatever mean, scale and correlation are, and the chance that it reaches c within t nights is at most t/c (Doob's inequality).

Sources: A. N. Shiryaev, "On optimum methods in quickest detection problems", Theory Probab. Appl. 8, 1963; M. Pollak, "Optimal
detection of a change in distribution", Ann. Statist. 13, 1985; J. Shin, A. Ramdas and A. Rinaldo, "E-detectors: a nonparametric
framework for sequential change detection", arXiv 2203.03532, 2022; for mean and scale, M. F. Pérez-Ortiz, T. Lardy, R. de Heide
and P. Grünwald, "E-statistics, group invariance and anytime-valid testing", Ann. Statist. 52, 2024; for the most probable
correlation, L. Wasserman, A. Ramdas and S. Balakrishnan, "Universal inference", PNAS 117, 2020.
"""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from tuner.check_statistics.change_density import log_change_density
from tuner.check_statistics.jobs import JOBS
from tuner.check_statistics.null_density import log_null_density
from tuner.check_statistics.whitening import Array, whitening

_NORMAL = 1.4826
"""The standard deviation of normal values over their median absolute deviation."""
_FURTHEST = 1e12
"""Values that are further off, in standard deviations, count as so far off: their densities' powers must stay finite."""


def standardized(values: Array, baseline: int, resolution: Array) -> tuple[Array, Array, Array]:
    """Returns (S, L) values less the baseline's median over its robust standard deviation, at least `resolution`
    (S); and both, (S)."""
    before = values[:, :baseline]
    middle = np.median(before, axis=1)
    spread = np.maximum(_NORMAL * np.median(np.abs(before - middle[:, None]), axis=1), resolution)
    return np.clip((values - middle[:, None]) / spread[:, None], -_FURTHEST, _FURTHEST), middle, spread


def log_evidence(
    values: Array,
    positions: npt.NDArray[np.int_],
    baseline: int,
    resolution: Array,
    rhos: Sequence[float],
    freedom: int,
    *,
    jobs: bool = False,
) -> Array:
    """Returns (S, T): the logarithm of the statistic of S series after each of T nights.

    `values`: (S, baseline + T), at the nights `positions` (baseline + T, rising); the first `baseline` of them, at least 5, have
    no change. `resolution`: (S), above 0, the least standard deviation that is believed. `rhos`: the correlations of two nights
    that follow each other. `freedom`: the degrees of freedom of Student's t that noise has, one of TAILS. `jobs`: without a
    change, some nights may have other jobs, as JOBS says.
    """
    seen, _, spread = standardized(values, baseline, resolution)
    least = resolution / spread
    changed, nulls = [], []
    for rho in rhos:
        white = whitening(positions, rho)
        null = log_null_density(seen, white, baseline, rho, freedom, least)
        changed.append(null[:, :1] + log_change_density(seen, white, baseline, rho, freedom, least))
        nulls.append(null[:, 1:])
    if jobs:
        alone = whitening(positions, 0.0)
        nulls += [log_null_density(seen, alone, baseline, 0.0, freedom, least, one)[:, 1:] for one in JOBS]
    return np.asarray(np.logaddexp.reduce(changed, axis=0) - np.log(len(rhos)) - np.max(nulls, axis=0))
