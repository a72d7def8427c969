# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Where a drawing of a fabric puts things, and which of the ways to lay it out suits a fabric."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tuner.plots.fabric_wiring import Ends, Pair, Wiring

Points: TypeAlias = npt.NDArray[np.float64]
"""Shape (n, 2): x to the right and y upwards, in inches."""
Point: TypeAlias = tuple[float, float]


@dataclass(frozen=True, kw_only=True)
class HostBar:
    """Hosts of one switch: a bar of as many cells, which begins at `at` and grows along `along`."""

    switch: int
    hosts: tuple[Ends, ...]
    at: Point
    along: Point
    """A vector of as many inches as the bar is long."""
    name: str = ""
    """Of the only host, where there is room for names."""


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Positions in inches."""

    switches: Points
    bars: tuple[HostBar, ...]
    bends: Mapping[Pair, Point] = field(default_factory=dict)
    """By trunk that is no straight line: how far its middle lies beside the straight line's."""
    rows: tuple[tuple[float, str], ...] = ()
    """Height and label of each row."""
    spacing: float
    """The least distance between two switches, which decides how large they are drawn."""


def place(wiring: Wiring) -> Layout:
    """Grids by coordinates, what has levels in rows, and everything else around a circle."""
    from tuner.plots import fabric_circle, fabric_grid, fabric_rows  # they know this module

    if fabric_grid.suits(wiring):
        return fabric_grid.place(wiring)
    if fabric_rows.suits(wiring):
        return fabric_rows.place(wiring)
    return fabric_circle.place(wiring)


def bar_length(hosts: int, most: int, longest_in: float) -> float:
    """Inches of a bar: in proportion to its hosts, but never too short to be seen."""
    return max(longest_in * hosts / max(1, most), 0.07)
