# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tori of any number of dimensions: grids whose edges are linked to the opposite ones."""

from math import prod

from tuner.document_base.model import misplaced
from tuner.fabric.topologies.base import TOPOLOGIES
from tuner.fabric.topologies.grid import Grid
from tuner.fabric.topologies.layout import Counts

MAX_LONG_RINGS = 4
"""Dimensions of four or more switches: `dor` avoids credit loops by one bit of the SL for each, and an SL has 4."""


class Torus(Grid):
    """Switches on a grid, each row of which is a ring; of at least three, as a ring of two would be a pair of parallel links."""

    rings = True
    suited_routing = "dor"
    examples = (
        {"dims": [3, 3]},
        {"dims": [4, 5], "hosts_per_switch": 2},
        {"dims": [6]},
        {"dims": [3, 4, 3]},
        {"dims": [5, 4], "hosts_per_switch": 1},
    )

    def check(self) -> None:
        if min(self.dims) < 3:
            raise misplaced(f"dims holds {min(self.dims)}; a ring has at least 3 switches")
        rings = sum(length > 3 for length in self.dims)
        if rings > MAX_LONG_RINGS:
            raise misplaced(f"dims holds {rings} numbers above 3; {MAX_LONG_RINGS} are possible, as an SL has a bit for each")

    def expected(self) -> Counts:
        switches = prod(self.dims)
        hosts = switches * self.hosts_per_switch
        return Counts(hosts=hosts, switches=switches, links=hosts + len(self.dims) * switches)

    def diameter(self) -> int:
        return sum(length // 2 for length in self.dims)


TOPOLOGIES.add("torus", Torus)
