# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights in which another job took from a metric, or left it more: rows of a table.

A night is as usual, or below or above it by `depth` scales. So there is a hidden Markov chain of three states, whose likelihood
the forward recursion sums (L. E. Baum and T. Petrie, "Statistical inference for probabilistic functions of finite state Markov
chains", Ann. Math. Statist. 37, 1966).
"""

from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.tails import density_ratio
from tuner.check_statistics.whitening import Array


@dataclass(frozen=True)
class Jobs:
    """`depth`: in scales. `begin`: probability that a job begins in a night without one. `stay`: that it is there in the next
    night too."""

    depth: float
    begin: float
    stay: float

    @property
    def share(self) -> float:
        """Of nights that have one."""
        return self.begin / (self.begin + 1 - self.stay)


JOBS = (Jobs(depth=3.0, begin=1 / 30, stay=0.8),)
"""A job of about five nights in each month. A deeper one would hide a change for a week where the baseline is short."""


class Occupied:
    """The states of many series, each for many means and scales: arrays of the shape of `residual` in `ratio`."""

    def __init__(self, jobs: Jobs, freedom: int) -> None:
        self._jobs, self._freedom = jobs, freedom
        self._below: Array | float = jobs.share / 2
        self._above: Array | float = jobs.share / 2

    def ratio(self, residual: Array, square: Array) -> Array:
        """Returns the density of the next night over the one of a night without a job. `residual`: in scales, from the mean;
        `square`: its square."""
        jobs = self._jobs
        free = 1 - self._below - self._above
        below, above = (jobs.stay * one + jobs.begin / 2 * free for one in (self._below, self._above))
        below, above = (
            before * density_ratio(np.square(residual + shift), square, self._freedom)
            for before, shift in ((below, jobs.depth), (above, -jobs.depth))
        )
        usual = (1 - jobs.begin) * free + (1 - jobs.stay) * (1 - free)
        total = usual + below + above
        self._below, self._above = below / total, above / total
        return np.asarray(total)
