# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Three-stage fat trees, the inside of director switches: a route crosses at most a leaf, a spine and a leaf."""

from typing import Annotated

from tuner.document_base.model import Within, misplaced
from tuner.fabric.topologies.base import MAX_PORTS, TOPOLOGIES, Topology
from tuner.fabric.topologies.fat_tree import lay_out_tree
from tuner.fabric.topologies.layout import Counts, Layout


class ThreeStage(Topology):
    """r²/2 hosts on r leaves, each linked once to each of r/2 spines, all of r ports: as non-blocking as the routing allows.

    Of 36 ports, it is the fabric of 648 hosts and 54 crossbars in Gran et al., IPDPS 2012.
    """

    suited_routing = "dmodk"
    examples = ({"radix": 2}, {"radix": 4}, {"radix": 8}, {"radix": 12})

    radix: Annotated[int, Within(2, MAX_PORTS)]
    """Ports of every switch, an even number."""

    def check(self) -> None:
        if self.radix % 2:
            raise misplaced(f"radix is {self.radix}; it must be even, as half of a leaf's ports lead up")

    def expected(self) -> Counts:
        r = self.radix
        return Counts(hosts=r * r // 2, switches=r + r // 2, links=r * r)

    def switch_ports(self) -> int:
        return self.radix

    def diameter(self) -> int:
        return 2

    def lay_out(self, layout: Layout) -> None:
        half = self.radix // 2
        lay_out_tree(layout, m=[half, self.radix], w=[1, half])


TOPOLOGIES.add("three-stage", ThreeStage)
