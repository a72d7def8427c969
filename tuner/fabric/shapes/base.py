# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of the shapes that fabrics can have, their registry, and the recognition of a fabric."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Protocol

from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.registry import Registry

TOLERATED = 0.1
"""Share of the links, switches or hosts that may be missing or be elsewhere; with more, the fabric has another shape."""

WITH_HOSTS = 0.6
"""Least share of the switches that have hosts, in shapes whose switches all have room for them: some racks are off or to come."""


@dataclass(frozen=True, kw_only=True)
class Recognized:
    """A shape that a fabric has. All numbers are switches of the document."""

    kind: str
    """Name of the shape, such as `fat-tree`."""
    text: str
    """The shape in words, with its sizes."""
    missing: tuple[str, ...] = ()
    """Sentences about links, switches and hosts that the shape has elsewhere or that are missing."""
    opensm: tuple[str, ...]
    """Routing engines of OpenSM that such clusters run, in the order in which OpenSM is to try them (`-R A,B`)."""
    reason: str
    """Sentence that says why these engines."""
    routings: tuple[str, ...]
    """Routings of ibcc that suit the shape, the best first."""
    by_load: bool = False
    """True if the loads of this very fabric say which of the first two engines, and of their routings, goes first."""
    against_loops: tuple[str, ...] = ()
    """Engines instead of `opensm`, where routes of the first routing close a credit loop on this very fabric; empty where they
    never do."""
    order: tuple[int, ...]
    """Switches with hosts in an order in which neighbours in the fabric are neighbours, as job schedulers number hosts."""
    at: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    """Coordinates of switches, for shapes that are grids."""

    @property
    def by_routes(self) -> bool:
        """True if the engines depend on what the routes of this very fabric are."""
        return self.by_load or bool(self.against_loops)


class Shape(Protocol):
    """One shape. A file of this package adds its own to SHAPES in its last line."""

    @property
    def rank(self) -> int:
        """Shapes are asked in ascending order: those first that others would take for a special case of theirs."""

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        """Returns what is recognised, or None if the fabric has another shape. At least one switch has hosts, and all switches
        with hosts reach each other."""


SHAPES: Registry[Shape] = Registry("shape", "tuner.fabric.shapes")


def recognize(graph: SwitchGraph) -> Recognized:
    """Returns the shape of a fabric, `unknown` if it has none of the known ones. Looks at links and hosts, never at names."""
    if not graph.host_switches:
        return _unknown(graph, "no switch has hosts")
    parts = [part for part in graph.parts() if any(graph.hosts[s] for s in part)]
    if len(parts) > 1:
        return _unknown(graph, f"{len(parts)} parts that no link joins, with {', '.join(_sizes(parts))} switches")
    for shape in sorted(SHAPES, key=lambda shape: shape.rank):
        if found := shape.recognize(graph):
            return found
    return _unknown(graph, f"{graph.size} switches in no shape that ibcc knows")


def _sizes(parts: list[list[int]]) -> list[str]:
    sizes = [str(len(part)) for part in parts[:5]]
    return [*sizes, "…"] if len(parts) > 5 else sizes


def _unknown(graph: SwitchGraph, text: str) -> Recognized:
    return Recognized(
        kind="unknown",
        text=text,
        opensm=("nue", "updn"),
        reason="nue routes any fabric without credit loops, with the VLs that there are; so does updn, where -a names its roots",
        routings=(),
        order=tuple(graph.host_switches),
    )
