# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Meshes of any number of dimensions: grids that end at their edges."""

from math import prod

from tuner.fabric.topologies.base import TOPOLOGIES
from tuner.fabric.topologies.grid import Grid
from tuner.fabric.topologies.layout import Counts


class Mesh(Grid):
    """Switches on a grid, each linked to its neighbours; those at the edges leave ports free."""

    rings = False
    suited_routing = "dor"
    examples = (
        {"dims": [2, 2]},
        {"dims": [4, 3], "hosts_per_switch": 2},
        {"dims": [5]},
        {"dims": [3, 2, 4]},
        {"dims": [2, 2, 2, 2], "hosts_per_switch": 1},
    )

    def expected(self) -> Counts:
        switches = prod(self.dims)
        rows = sum(switches // length * (length - 1) for length in self.dims)
        hosts = switches * self.hosts_per_switch
        return Counts(hosts=hosts, switches=switches, links=hosts + rows)

    def diameter(self) -> int:
        return sum(length - 1 for length in self.dims)


TOPOLOGIES.add("mesh", Mesh)
