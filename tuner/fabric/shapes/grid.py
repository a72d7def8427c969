# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tori, meshes, rings, lines and hypercubes."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from math import prod

from tuner.fabric.shapes.base import SHAPES, TOLERATED, WITH_HOSTS, Recognized
from tuner.fabric.shapes.grid_axes import Place, far_pairs, places
from tuner.fabric.shapes.switch_graph import SwitchGraph, several


@dataclass(frozen=True)
class _Grid:
    graph: SwitchGraph
    at: dict[int, Place]
    sizes: tuple[int, ...]
    wrapped: tuple[bool, ...]

    @property
    def expected_pairs(self) -> int:
        """Linked pairs of the whole grid."""
        switches = prod(self.sizes)
        return sum(
            switches // size * (size if wrapped else size - 1) for size, wrapped in zip(self.sizes, self.wrapped, strict=True)
        )

    @property
    def text(self) -> str:
        shape = " x ".join(str(size) for size in self.sizes)
        if all(size == 2 for size in self.sizes):
            dimensions = len(self.sizes)
            torus = f", which is also a torus of {' x '.join(['4'] * (dimensions // 2))}" if dimensions % 2 == 0 else ""
            return f"hypercube of {dimensions} dimensions: {len(self.at)} switches{torus}"
        if len(self.sizes) == 1:
            return f"{'ring' if self.wrapped[0] else 'line'} of {self.sizes[0]} switches"
        kind = "torus" if all(self.wrapped) else "mesh" if not any(self.wrapped) else "grid"
        lines = (
            ""
            if kind != "grid"
            else f", rings in dimensions {', '.join(str(d + 1) for d, ring in enumerate(self.wrapped) if ring)}"
        )
        return f"{kind} of {shape}{lines}: {len(self.at)} switches"

    def missing(self) -> Iterator[str]:
        """Sentences about switches and links that the whole grid has besides."""
        graph = self.graph
        unlinked = [s for s in range(graph.size) if not graph.links[s]]
        if unlinked:
            yield f"{several(len(unlinked), 'switch has', 'switches have')} no link to another: {graph.some(unlinked)}"
        there = set(self.at.values())
        empty = [place for place in product(*map(range, self.sizes)) if place not in there]
        if empty:
            shown = ", ".join(map(str, empty[:3])) + (", …" if len(empty) > 3 else "")
            yield f"{several(len(empty), 'place has', 'places have')} no switch: {shown}"
        if absent := list(self._absent()):
            words = several(len(absent), "pair of neighbours has", "pairs of neighbours have")
            yield f"{words} no link: {graph.some_pairs(absent)}"
        if thin := list(self._thin()):
            words = several(len(thin), "pair of neighbours has", "pairs of neighbours have")
            yield f"{words} fewer parallel links than most of their dimension: {graph.some_pairs(thin)}"

    def _absent(self) -> Iterator[tuple[int, int]]:
        switch_at = {place: s for s, place in self.at.items()}
        for place, s in sorted(switch_at.items()):
            for d, size in enumerate(self.sizes):
                higher = place[d] + 1
                if higher == size and not self.wrapped[d]:
                    continue
                t = switch_at.get((*place[:d], higher % size, *place[d + 1 :]))
                if t is not None and t not in self.graph.links[s]:
                    yield s, t

    def _thin(self) -> Iterator[tuple[int, int]]:
        links: dict[int, dict[tuple[int, int], int]] = {}
        for s, t in self.graph.pairs:
            d = next(d for d, (a, b) in enumerate(zip(self.at[s], self.at[t], strict=True)) if a != b)
            links.setdefault(d, {})[s, t] = self.graph.links[s][t]
        for in_dimension in links.values():
            usual = Counter(in_dimension.values()).most_common(1)[0][0]
            yield from (pair for pair, count in in_dimension.items() if count < usual)


def _grid(graph: SwitchGraph) -> _Grid | None:
    """The grid that the links make, or None."""
    linked = sum(1 for links in graph.links if links)
    if linked < (1 - TOLERATED) * graph.size or len(graph.host_switches) < WITH_HOSTS * graph.size:
        return None
    return _placed(graph, places(graph)) or _placed(graph, places(graph, enough=2))


def _placed(graph: SwitchGraph, at: dict[int, Place] | None) -> _Grid | None:
    """The grid that the places make, or None if they are not those of one."""
    if not at or len(set(at.values())) < len(at):
        return None
    at, sizes = _rings_of_four(at)
    wrapped = tuple(
        size > 2 and any({at[s][d], at[t][d]} == {0, size - 1} for s, t in graph.pairs) for d, size in enumerate(sizes)
    )
    grid = _Grid(graph, at, sizes, wrapped)
    if far_pairs(graph, at, sizes):
        return None
    full = len(at) >= (1 - TOLERATED) * prod(sizes) and len(graph.pairs) >= (1 - 2 * TOLERATED) * grid.expected_pairs
    return grid if full else None


def _rings_of_four(at: dict[int, Place]) -> tuple[dict[int, Place], tuple[int, ...]]:
    """Where other dimensions are longer, two of two switches each are one ring of four; the order around it is 00, 01, 11, 10."""
    sizes = [1 + max(place[d] for place in at.values()) for d in range(len(next(iter(at.values()))))]
    short = [d for d, size in enumerate(sizes) if size == 2]
    if len(short) == len(sizes) or len(short) < 2:
        return at, tuple(sizes)
    rings = [(short[i], short[i + 1]) for i in range(0, len(short) - 1, 2)]
    kept = [d for d in range(len(sizes)) if not any(d in ring for ring in rings)]
    around = {(0, 0): 0, (0, 1): 1, (1, 1): 2, (1, 0): 3}
    joined = {s: (*(around[place[a], place[b]] for a, b in rings), *(place[d] for d in kept)) for s, place in at.items()}
    return joined, (*(4 for _ in rings), *(sizes[d] for d in kept))


def _opensm(grid: _Grid, rings: int) -> tuple[tuple[str, ...], str]:
    """OpenSM's engines for the grid, and why. `rings`: dimensions with rings of four and more."""
    if not rings:
        return ("dor",), "routes that take one dimension after the other have no credit loops where no ring is longer than three"
    if len(grid.sizes) in (2, 3):
        reason = "torus-2QoS has no credit loops on rings, and routes round a missing link or switch; it needs torus-2QoS.conf"
        return ("torus-2QoS", "nue"), reason
    return ("nue", "dfsssp"), "both have no credit loops on rings, by VLs; torus-2QoS is for tori of two or three dimensions"


class GridShape:
    rank = 4

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        grid = _grid(graph)
        if grid is None:
            return None
        rings = sum(wrapped and size > 3 for size, wrapped in zip(grid.sizes, grid.wrapped, strict=True))
        opensm, reason = _opensm(grid, rings)
        return Recognized(
            kind="hypercube" if all(size == 2 for size in grid.sizes) else "torus" if any(grid.wrapped) else "mesh",
            text=grid.text,
            missing=tuple(grid.missing()),
            opensm=opensm,
            reason=reason,
            routings=("dor", "updown"),
            order=tuple(sorted(graph.host_switches, key=lambda s: grid.at.get(s, ()))),
            at=grid.at,
        )


SHAPES.add("grid", GridShape())
