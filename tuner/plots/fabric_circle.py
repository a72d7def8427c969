# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics without levels or coordinates, such as dragonflies: groups of switches that are all linked to each other, around a
circle; where there are no such groups, the switches themselves."""

from collections.abc import Iterable, Sequence
from math import cos, pi, sin

import numpy as np

from tuner.plots.fabric_layout import HostBar, Layout, Point, bar_length
from tuner.plots.fabric_wiring import Wiring

_LARGEST_RADIUS_IN, _SMALLEST_RADIUS_IN = 4.0, 1.3
_SPACING_IN = 0.55
# Of the room that a group has on the circle, what its own circle takes; the rest keeps groups, with their hosts, apart.
_GROUP_SHARE = 0.62
_TO_BAR, _BAR = 0.45, 0.5  # of the distance between switches


def place(wiring: Wiring) -> Layout:
    groups = groups_of(wiring.neighbours)
    n_switches = len(wiring.level_of)
    radius = min(_LARGEST_RADIUS_IN, max(_SMALLEST_RADIUS_IN, _SPACING_IN * n_switches / 5))
    at = np.zeros((n_switches, 2))
    outward = np.zeros((n_switches, 2))
    grouped = 1 < len(groups) < n_switches
    small = _GROUP_SHARE * radius * sin(pi / len(groups)) if grouped else radius
    for index, group in enumerate(groups if grouped else [[i for group in groups for i in group]]):
        turn = _angle(index, len(groups))
        centre = np.array(_on_circle(radius, turn) if grouped else (0.0, 0.0))
        for place_in_group, switch in enumerate(group):
            # The first switch of a group looks away from the middle of the figure.
            direction = np.array(_on_circle(1.0, turn - 2 * pi * place_in_group / len(group)))
            at[switch] = centre + small * direction if len(group) > 1 or not grouped else centre
            outward[switch] = direction
    most = max(map(len, groups)) if grouped else n_switches
    spacing = min(0.9, 2 * small * sin(pi / max(2, most)))
    bars = []
    for switch, hosts in sorted(wiring.hosts.items()):
        begin = at[switch] + outward[switch] * (_TO_BAR * spacing)
        along = outward[switch] * bar_length(len(hosts), wiring.most_hosts, _BAR * spacing)
        bars.append(HostBar(switch=switch, hosts=tuple(hosts), at=_point(begin), along=_point(along)))
    return Layout(switches=at, bars=tuple(bars), spacing=spacing)


def groups_of(neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """Switches in groups that are all linked to each other, greedily: each group begins with the first switch that is left over and
    takes in, of those next to all of it, the one that shares most neighbours with it. Between groups of a dragonfly two ends
    of a link share few."""
    near = [set(others) for others in neighbours]
    left = dict.fromkeys(range(len(near)))
    groups = []
    while left:
        first = next(iter(left))
        group = [first]
        candidates = [i for i in neighbours[first] if i in left]
        while candidates:
            best = max(candidates, key=lambda i: (len(near[i] & near[first]), -i))
            group.append(best)
            candidates = [i for i in candidates if i != best and i in near[best]]
        for switch in group:
            del left[switch]
        groups.append(sorted(group))
    return groups


def _angle(index: int, count: int) -> float:
    """From the top, clockwise."""
    return pi / 2 - 2 * pi * index / count


def _on_circle(radius: float, angle: float) -> Point:
    return radius * cos(angle), radius * sin(angle)


def _point(values: Iterable[float]) -> Point:
    x, y = values
    return float(x), float(y)


