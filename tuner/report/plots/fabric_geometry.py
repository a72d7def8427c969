# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Positions in a drawing of a fabric, as every way of laying it out fills them in."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tuner.report.plots.fabric_wiring import Ends, Pair

Points: TypeAlias = npt.NDArray[np.float64]
"""Shape (n, 2): x to the right and y upwards, in inches."""
Point: TypeAlias = tuple[float, float]
Side: TypeAlias = Literal[0, 1]
"""End of a host's link: 0 the switch's, 1 the host's."""


@dataclass(frozen=True, kw_only=True)
class HostBar:
    """Hosts of one switch: a bar of as many cells, from `at` on along `along`, and a stem from the switch to it."""

    hosts: tuple[Ends, ...]
    stem: Point
    """Start of the stem: at the switch."""
    at: Point
    along: Point
    """A vector of as many inches as the bar is long."""
    cells_show: Side = 1
    """Side whose ports give the cells their colors."""
    stem_shows: Side = 0
    name: str = ""
    """Name of the only host, where there is room for names."""

    @property
    def tip(self) -> Points:
        return np.add(self.at, self.along)

    def beyond(self, inches: float) -> Points:
        """A place so far beyond the tip."""
        return self.tip + np.array(self.along) * (inches / float(np.hypot(*self.along)))


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Positions in inches."""

    switches: Points
    bars: tuple[HostBar, ...]
    room: npt.NDArray[np.float64]
    """Distance from each switch to those beside it, which decides how large it is drawn."""
    bends: Mapping[Pair, Point] = field(default_factory=dict)
    """Distance of a trunk's middle from the straight line, for each trunk that is no straight line."""
    rows: tuple[tuple[float, str], ...] = ()
    """Height and label of each row."""
    senders: Points | None = None
    """In an unfolded figure, a second place for each switch, where it passes packets upwards. The topmost have but one."""
    rank: tuple[int, ...] = ()
    """Row of each switch in an unfolded figure, counted from the leaves."""

    def ends(self, a: int, b: int) -> tuple[Points, Points]:
        """Returns the start and the end of the line for packets from switch `a` to its neighbour `b`."""
        if self.senders is None:
            return self.switches[a], self.switches[b]
        begin = self.senders if self.rank[a] <= self.rank[b] else self.switches
        end = self.senders if self.rank[a] < self.rank[b] else self.switches
        return begin[a], end[b]


def bar_length(hosts: int, most: int, longest_in: float) -> float:
    """Inches of a bar: in proportion to its hosts, but never too short to be seen."""
    return longest_in * max(hosts / max(1, most), 0.1)
