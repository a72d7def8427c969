# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Dimensions of a grid of switches, found by its links alone, and the place of each switch.

In a grid, two links of a switch that lead in different dimensions are sides of a square, and opposite sides of a square lead in
one dimension; two links that lead on in one dimension are sides of none (of a ring of four they are: it counts as two dimensions
of two switches, which is the same fabric). So links fall into classes of opposite sides, and a class meets another either in
squares or in straight lines. Where links or switches are missing, most meetings decide. One straight meeting is enough in a ring;
in grids of more dimensions a missing link can look like one, so that two are asked for if one does not give a grid.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from itertools import combinations
from typing import TypeAlias

from tuner.fabric.shapes.switch_graph import SwitchGraph

Pair: TypeAlias = tuple[int, int]
"""Two switches that are linked, the lower first."""
Place: TypeAlias = tuple[int, ...]
MAX_NEIGHBOURS = 32
"""Neighbours of a switch in a grid of 16 dimensions, which are the most that a fabric document has room for."""


class Joined:
    """Linked pairs that belong together, in sets that grow."""

    def __init__(self) -> None:
        self._above: dict[Pair, Pair] = {}

    def of(self, one: Pair) -> Pair:
        """Returns the one that stands for the set."""
        path = []
        while (above := self._above.get(one, one)) != one:
            path.append(one)
            one = above
        self._above.update(dict.fromkeys(path, one))
        return one

    def join(self, one: Pair, other: Pair) -> None:
        self._above[self.of(one)] = self.of(other)


def places(graph: SwitchGraph, enough: int = 1) -> dict[int, Place] | None:
    """Returns coordinates of the switches that have links, from 0 in each dimension; None if the links make no grid. Two linked
    switches that differ in more than one coordinate, and two switches at one place, are left to the caller to look for.
    `enough`: straight meetings that make two classes one dimension."""
    if max(graph.degrees(), default=0) > MAX_NEIGHBOURS or _in_meshes(graph):
        return None
    axes = _axes(graph, enough)
    found: list[dict[int, int]] = []
    for axis in sorted(set(axes.values()), key=lambda axis: min(pair for pair, own in axes.items() if own == axis)):
        along = _coordinates(graph, {pair for pair, own in axes.items() if own == axis})
        if along is None:
            return None
        found.append(along)
    return {s: tuple(along[s] for along in found) for s in range(graph.size) if graph.links[s]}


def _in_meshes(graph: SwitchGraph) -> bool:
    """True if two linked switches have two neighbours in common: in a grid they have none, and one in a ring of three."""
    peers = [set(links) for links in graph.links]
    return any(len(peers[s] & peers[t]) > 1 for s, t in graph.pairs)


def _axes(graph: SwitchGraph, enough: int) -> dict[Pair, Pair]:
    """The dimension of each linked pair, as one pair that stands for all of it."""
    opposite, meetings = Joined(), []
    for s in range(graph.size):
        for t, u in combinations(sorted(graph.links[s]), 2):
            corners = [v for v in graph.links[t] if v != s and v in graph.links[u]]
            if len(corners) == 1 and u not in graph.links[t]:
                (v,) = corners
                opposite.join(_pair(s, t), _pair(u, v))
                opposite.join(_pair(s, u), _pair(t, v))
            meetings.append((_pair(s, t), _pair(s, u), bool(corners) and u not in graph.links[t]))
    votes: dict[tuple[Pair, Pair], Counter[bool]] = defaultdict(Counter)
    for one, other, in_square in meetings:
        first, second = sorted((opposite.of(one), opposite.of(other)))
        if first != second:
            votes[first, second][in_square] += 1
    axis = Joined()
    for (first, second), counted in votes.items():
        if counted[False] >= max(enough, counted[True] + 1):
            axis.join(first, second)
    return {pair: axis.of(opposite.of(pair)) for pair in graph.pairs}


def _pair(s: int, t: int) -> Pair:
    return (s, t) if s < t else (t, s)


def _coordinates(graph: SwitchGraph, along: set[Pair]) -> dict[int, int] | None:
    """The place of each switch in one dimension: without its links the fabric falls into layers, which follow each other in a
    line or a ring."""
    layers = graph.parts((s for s in range(graph.size) if graph.links[s]), lambda s, t: _pair(s, t) not in along)
    layer_of = {s: i for i, layer in enumerate(layers) for s in layer}
    next_to: list[set[int]] = [set() for _ in layers]
    for s, t in along:
        next_to[layer_of[s]].add(layer_of[t])
        next_to[layer_of[t]].add(layer_of[s])
    order = list(_line(next_to))
    if len(order) != len(layers) or any(len(near) > 2 for near in next_to) or any(i in near for i, near in enumerate(next_to)):
        return None
    return {s: place for place, layer in enumerate(order) for s in layers[layer]}


def _line(next_to: list[set[int]]) -> Iterator[int]:
    """Walks along a line from its end, or once around a ring, the lower of two ways first."""
    here = min((i for i, near in enumerate(next_to) if len(near) < 2), default=0)
    seen = {here}
    yield here
    while following := sorted(next_to[here] - seen):
        here = following[0]
        seen.add(here)
        yield here


def far_pairs(graph: SwitchGraph, at: dict[int, Place], sizes: Iterable[int]) -> list[Pair]:
    """Linked pairs that are no neighbours by their places; the first and the last of a row are neighbours."""
    size = list(sizes)
    far = []
    for s, t in graph.pairs:
        apart = [d for d, (a, b) in enumerate(zip(at[s], at[t], strict=True)) if a != b]
        if len(apart) != 1 or abs(at[s][apart[0]] - at[t][apart[0]]) not in (1, size[apart[0]] - 1):
            far.append((s, t))
    return far
