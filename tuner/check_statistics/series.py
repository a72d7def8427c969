# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A metric's values of the baseline's nights and of the nights since, and what is assumed of its noise."""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tuner.check_statistics.scales import SCALES, Scale
from tuner.check_statistics.tails import TAILS
from tuner.check_statistics.whitening import Array
from tuner.errors import BadInputError

LEAST_BASELINE = 5
"""Values that a baseline has at least."""
CORRELATIONS = (0.0, 0.3, 0.6)
"""Correlations of two nights that follow each other that can be allowed for."""


@dataclass(frozen=True)
class Assumptions:
    """Assumptions about a metric's noise.

    `scale`: a name in SCALES, with its `floor`. `resolution`, on the scale and above 0: the least standard deviation that is
    believed; with `log`, 0.01 is 1 %. `tails`: a name in TAILS. `correlation`, one of CORRELATIONS: how much a night may resemble
    the one before it. `jobs`: other jobs take from the metric on some nights, as JOBS has them. Raises BadInputError for a value
    out of range.
    """

    resolution: float
    scale: str = "plain"
    floor: float = 0.0
    tails: str = "heavy"
    correlation: float = 0.3
    jobs: bool = False

    def __post_init__(self) -> None:
        if not (self.resolution > 0 and math.isfinite(self.resolution)):
            raise BadInputError(f"resolution is {self.resolution:g}; it must be above 0")
        for value, names in ((self.scale, SCALES), (self.tails, TAILS)):
            if value not in names:
                raise BadInputError(f"'{value}' is not known; there are {', '.join(sorted(names))}")
        low, high = SCALES[self.scale].floors
        if not low < self.floor < high:
            raise BadInputError(f"floor is {self.floor:g}; for the scale '{self.scale}' it must be between {low:g} and {high:g}")
        if self.correlation not in CORRELATIONS:
            raise BadInputError(f"correlation is {self.correlation:g}; it must be one of 0, 0.3 and 0.6")

    @property
    def row(self) -> Scale:
        return SCALES[self.scale]

    @property
    def freedom(self) -> int:
        return TAILS[self.tails]

    @property
    def rhos(self) -> tuple[float, ...]:
        return tuple(rho for rho in CORRELATIONS if rho <= self.correlation)


@dataclass(frozen=True)
class Series:
    """Values in the metric's units, oldest first; None for a night that has none. Raises BadInputError for a value that is not
    finite, and for a baseline of fewer than 5 values."""

    baseline: Sequence[float | None]
    nights: Sequence[float | None]
    assumptions: Assumptions
    moves: float | None = None
    """How far the middle that nights are compared with may move from the baseline's, with the nights just before; in the metric's
    units. None: nights are compared with the baseline."""

    def __post_init__(self) -> None:
        for value in (*self.baseline, *self.nights):
            if value is not None and not math.isfinite(value):
                raise BadInputError(f"a night has the value {value}; it must be finite")
        if self.count < LEAST_BASELINE:
            raise BadInputError(f"the baseline has {self.count} values; it must have at least {LEAST_BASELINE}")

    @property
    def count(self) -> int:
        """Number of values in the baseline."""
        return sum(value is not None for value in self.baseline)

    def positions(self) -> npt.NDArray[np.int_]:
        """Returns the nights that have a value, counted from the baseline's first one."""
        return np.flatnonzero([value is not None for value in (*self.baseline, *self.nights)])

    def scaled(self) -> Array:
        """Returns the values on the scale, one for each position."""
        values = np.array([value for value in (*self.baseline, *self.nights) if value is not None], dtype=float)
        return self.assumptions.row.forward(values, self.assumptions.floor)
