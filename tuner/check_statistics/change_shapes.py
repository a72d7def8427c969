# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How a metric can have changed: rows of a table. A shape has for each night what part of the whole change is there."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from tuner.check_statistics.whitening import Array


@dataclass(frozen=True)
class Shape:
    """A change that is complete on the `nights`-th night. `weight`: how probable it is beforehand."""

    kind: str
    nights: int
    weight: float

    def part(self, since: npt.NDArray[np.int_]) -> Array:
        """Returns the part of the change, 0 to 1. `since`: nights since the first changed one, 0 for that, below 0 before it."""
        return np.clip((since + 1) / self.nights, 0, 1)


DRIFT_NIGHTS = (10, 14, 20, 28, 40, 56, 80)
"""A drift is fitted as one of so many nights."""
SHAPES = (Shape("step", 1, 0.8), *(Shape("drift", nights, 0.2 / len(DRIFT_NIGHTS)) for nights in DRIFT_NIGHTS))
"""All drifts together are a quarter as probable as a step."""
