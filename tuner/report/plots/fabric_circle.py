# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics without levels or coordinates, such as dragonflies: groups of switches that are all linked to each other, around a
circle; where there are no such groups, the switches themselves."""

from collections.abc import Iterable, Sequence
from math import pi, sin

import numpy as np

from tuner.report.plots.fabric_geometry import HostBar, Layout, Point, Points, bar_length
from tuner.report.plots.fabric_wiring import Wiring

_LARGEST_RADIUS_IN, _SMALLEST_RADIUS_IN = 3.6, 1.4
_PER_SWITCH_IN = 0.42
# Least mean number of switches in a group; pairs are found in any fabric, and say nothing about it.
_SMALLEST_GROUP = 3
# Parts of the room that a group has on the circle: the radius of its own circle, and where its hosts begin and end.
_OWN, _BARS_FROM, _BARS_TO = 0.5, 0.7, 0.95
# Parts of the distance between switches, without groups: from a switch to its hosts, and along them.
_TO_BAR, _BAR = 0.45, 0.5


def place(wiring: Wiring) -> Layout:
    groups = groups_of(wiring.neighbours)
    n_switches = len(wiring.level_of)
    radius = min(_LARGEST_RADIUS_IN, max(_SMALLEST_RADIUS_IN, _PER_SWITCH_IN * n_switches / 5))
    if 1 < len(groups) <= n_switches / _SMALLEST_GROUP:
        return _grouped(wiring, groups, radius)
    outward = _around(n_switches)
    at = np.zeros((n_switches, 2))
    order = [switch for group in groups for switch in group]
    at[order] = outward
    spacing = min(0.9, 2 * radius * sin(pi / n_switches))
    bars = _bars(wiring, at * radius, at, _TO_BAR * spacing, _BAR * spacing)
    return Layout(switches=at * radius, bars=bars, room=np.full(n_switches, spacing))


def _grouped(wiring: Wiring, groups: Sequence[Sequence[int]], radius: float) -> Layout:
    """Each group in a circle of its own. Its first switch looks away from the middle of the figure."""
    n_switches = len(wiring.level_of)
    half = radius * sin(pi / len(groups))
    at, outward, room = np.zeros((n_switches, 2)), np.zeros((n_switches, 2)), np.zeros(n_switches)
    for index, (group, direction) in enumerate(zip(groups, _around(len(groups)), strict=True)):
        outward[group] = _around(len(group), -2 * pi * index / len(groups))
        at[group] = radius * direction + (outward[group] * _OWN * half if len(group) > 1 else 0.0)
        room[group] = 2 * _OWN * half * sin(pi / max(2, len(group)))
    bars = _bars(wiring, at, outward, (_BARS_FROM - _OWN) * half, (_BARS_TO - _BARS_FROM) * half)
    return Layout(switches=at, bars=bars, room=room)


def _bars(wiring: Wiring, at: Points, outward: Points, gap: float, longest: float) -> tuple[HostBar, ...]:
    bars = []
    for switch, hosts in sorted(wiring.hosts.items()):
        along = outward[switch] * bar_length(len(hosts), wiring.most_hosts, longest)
        stem, begin = at[switch], at[switch] + outward[switch] * gap
        bars.append(HostBar(hosts=tuple(hosts), stem=_point(stem), at=_point(begin), along=_point(along)))
    return tuple(bars)


def _around(count: int, turned: float = 0.0) -> Points:
    """Returns `count` directions, from the top clockwise, after a turn by an angle."""
    angles = pi / 2 + turned - 2 * pi * np.arange(count) / count
    return np.stack([np.cos(angles), np.sin(angles)], axis=1)


def groups_of(neighbours: Sequence[Sequence[int]]) -> list[list[int]]:
    """Switches in groups that are all linked to each other, greedily: each group begins with the first switch that is left
    over and takes in, of those next to all of it, the one that shares most neighbours with it. Between groups of a dragonfly
    the two ends of a link share few."""
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


def _point(values: Iterable[float]) -> Point:
    x, y = values
    return float(x), float(y)
