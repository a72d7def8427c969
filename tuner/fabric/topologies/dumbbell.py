# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Dumbbells: two switches with hosts, and few links between them."""

from tuner.fabric.topologies.base import TOPOLOGIES, PortsTaken, Topology
from tuner.fabric.topologies.layout import Counts, Layout


class Dumbbell(Topology):
    """Two switches, S1 with the first hosts and S2 with the others, joined by parallel links."""

    suited_routing = "minhop"
    examples = ({"left": 1, "right": 1}, {"left": 3, "right": 4, "trunks": 1}, {"left": 5, "right": 2, "trunks": 3})

    left: PortsTaken
    """Hosts on S1."""
    right: PortsTaken
    """Hosts on S2."""
    trunks: PortsTaken = 1
    """Links between the switches."""

    def expected(self) -> Counts:
        return Counts(hosts=self.left + self.right, switches=2, links=self.left + self.right + self.trunks)

    def switch_ports(self) -> int:
        return max(self.left, self.right) + self.trunks

    def diameter(self) -> int:
        return 1

    def lay_out(self, layout: Layout) -> None:
        names = []
        for i, hosts in enumerate((self.left, self.right), start=1):
            names.append(layout.switch(f"S{i}", hosts + self.trunks))
            for port in range(1, hosts + 1):
                layout.host(names[-1], port)
        for trunk in range(1, self.trunks + 1):
            layout.link(names[0], self.left + trunk, names[1], self.right + trunk)


TOPOLOGIES.add("dumbbell", Dumbbell)
