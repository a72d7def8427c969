# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tori, meshes and hypercubes: switches by their coordinates, the first dimension to the right, the second upwards, the third
slantwise, and each further one as copies of all that, in turns beside and above."""

import numpy as np

from tuner.report.plots.fabric_geometry import HostBar, Layout, Point, Points, bar_length
from tuner.report.plots.fabric_wiring import Pair, Wiring

WIDEST_IN, TALLEST_IN = 9.0, 8.0
_STEP_IN = 1.15
# Part of a step that all switches along the third dimension fill together, so that they do not cover those of the next step.
_SLANT = (0.84, 0.64)
_TO_BAR, _BAR = 0.26, 0.3  # of the distance between switches
_DIAGONAL = (0.76, -0.65)


def suits(wiring: Wiring) -> bool:
    """True if every switch has coordinates, all with the same number of dimensions."""
    dimensions = {len(switch.at) for switch in wiring.document.switches}
    return len(dimensions) == 1 and dimensions != {0}


def place(wiring: Wiring) -> Layout:
    coordinates = np.array([switch.at for switch in wiring.document.switches], dtype=np.float64)
    sizes = [int(n) for n in coordinates.max(axis=0) + 1]
    ahead = directions(sizes)
    steps = coordinates @ ahead
    width, height = (max(1.0, float(extent)) for extent in steps.max(axis=0))
    planes = sizes[2] if len(sizes) > 2 else 1
    inches = min(_STEP_IN * max(1.0, planes / 2), WIDEST_IN / width, TALLEST_IN / height)
    at = steps * inches
    spacing = inches * (1.0 if len(sizes) < 3 else float(np.hypot(*ahead[2])))
    bars = []
    for switch, hosts in sorted(wiring.hosts.items()):
        long = bar_length(len(hosts), wiring.most_hosts, _BAR * spacing)
        begin = at[switch] + np.array(_DIAGONAL) * (_TO_BAR * spacing)
        along = (_DIAGONAL[0] * long, _DIAGONAL[1] * long)
        x, y = (float(value) for value in at[switch])
        bars.append(HostBar(hosts=tuple(hosts), stem=(x, y), at=(float(begin[0]), float(begin[1])), along=along))
    room = np.full(len(at), spacing)
    return Layout(switches=at, bars=tuple(bars), room=room, bends=_bends(wiring, coordinates, at, inches))


def directions(sizes: list[int]) -> Points:
    """Returns the step in each dimension, in distances between neighbours, for grids of those sizes."""
    steps: list[Point] = [(1.0, 0.0), (0.0, 1.0)][: len(sizes)]
    if len(sizes) > 2:
        steps.append((_SLANT[0] / sizes[2], _SLANT[1] / sizes[2]))
    for dimension in range(3, len(sizes)):
        width, height = np.abs(np.array(steps) * (np.array(sizes[:dimension]) - 1)[:, None]).sum(axis=0)
        # A little aside, so that links between copies do not run along those inside.
        steps.append((float(width) + 1.1, 0.4) if dimension % 2 else (0.33, float(height) + 1.1))
    return np.array(steps)


def _bends(wiring: Wiring, coordinates: Points, at: Points, inches: float) -> dict[Pair, Point]:
    """Links that are longer than a step, such as those that close a ring, pass beside the switches between their ends."""
    bends: dict[Pair, Point] = {}
    for a, b in wiring.trunks:
        if np.abs(coordinates[a] - coordinates[b]).sum() > 1:
            along = at[b] - at[a]
            length = float(np.hypot(*along)) or 1.0
            aside = np.array((-along[1], along[0])) / length * (0.3 * inches + 0.03 * length)
            bends[a, b] = (float(aside[0]), float(aside[1]))
    return bends
