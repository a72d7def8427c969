# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of meshes and tori: switches at the points of a grid of any number of dimensions, each linked to its neighbours."""

from collections.abc import Iterator
from itertools import product
from typing import Annotated, ClassVar, TypeAlias

from pydantic import Field

from tuner.document_base.model import ListOf, Within
from tuner.fabric.topologies.base import MAX_LIDS, MAX_PORTS, Topology
from tuner.fabric.topologies.layout import Layout

Place: TypeAlias = tuple[int, ...]
"""Coordinates of a switch, from 0 in each dimension."""


class Grid(Topology):
    """Switches are called by their coordinates: S0-0, S0-1, … Above the ports to its hosts, a switch has two ports for each
    dimension, the first to the neighbour of the next higher coordinate, the second to that of the next lower."""

    rings: ClassVar[bool]
    """True if the last switch of a row is linked to the first."""

    dims: Annotated[ListOf[Annotated[int, Within(2, MAX_LIDS)]], Field(min_length=1, max_length=15)]
    """Switches along each dimension."""
    hosts_per_switch: Annotated[int, Within(1, MAX_PORTS)] = 1
    """Hosts on each switch."""

    def switch_ports(self) -> int:
        return self.hosts_per_switch + 2 * len(self.dims)

    def lay_out(self, layout: Layout) -> None:
        names: dict[Place, str] = {}
        for at in product(*map(range, self.dims)):
            names[at] = layout.switch("S" + "-".join(map(str, at)), self.switch_ports(), at=at)
            for port in range(1, self.hosts_per_switch + 1):
                layout.host(names[at], port)
        for at, name in names.items():
            for dimension, neighbour in self._next(at):
                port = self.hosts_per_switch + 2 * dimension + 1
                layout.link(name, port, names[neighbour], port + 1)

    def _next(self, at: Place) -> Iterator[tuple[int, Place]]:
        """Yields for each dimension the neighbour of the next higher coordinate, where a link leads to one."""
        for dimension, length in enumerate(self.dims):
            higher = at[dimension] + 1
            if higher < length or self.rings:
                yield dimension, (*at[:dimension], higher % length, *at[dimension + 1 :])
