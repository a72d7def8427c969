# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Leaf-spine fabrics: two levels of switches, with as many links up as are wanted."""

from collections.abc import Iterator

import ccsim
from tuner.fabric.topologies.base import TOPOLOGIES, PortsTaken, Topology
from tuner.fabric.topologies.fat_tree import lay_out_tree
from tuner.fabric.topologies.layout import Counts, Layout


class LeafSpine(Topology):
    """Every leaf is linked to every spine; over-subscribed where its hosts can send more than its links up carry."""

    suited_routing = "dmodk"
    examples = (
        {"leaves": 4, "spines": 2, "hosts_per_leaf": 3},
        {"leaves": 3, "spines": 2, "hosts_per_leaf": 8, "parallel": 2},
        {"leaves": 2, "spines": 1, "hosts_per_leaf": 1},
        {"leaves": 1, "spines": 1, "hosts_per_leaf": 2},
        {"leaves": 5, "spines": 3, "hosts_per_leaf": 2, "switch_rate": "4xXDR"},
    )

    leaves: PortsTaken
    """Leaf switches, which have hosts."""
    spines: PortsTaken
    """Spine switches, which join the leaves."""
    hosts_per_leaf: PortsTaken
    """Hosts on each leaf."""
    parallel: PortsTaken = 1
    """Parallel links between a leaf and a spine."""

    def expected(self) -> Counts:
        hosts = self.leaves * self.hosts_per_leaf
        links_up = self.leaves * self.spines * self.parallel
        return Counts(hosts=hosts, switches=self.leaves + self.spines, links=hosts + links_up)

    def switch_ports(self) -> int:
        return max(self.hosts_per_leaf + self.spines * self.parallel, self.leaves * self.parallel)

    def diameter(self) -> int:
        return 2 if self.leaves > 1 else 0

    def oversubscription(self) -> float:
        """Returns the rate that the hosts of a leaf can send together, divided by the rate of its links up."""
        up_gbps = self.spines * self.parallel * ccsim.link_data_gbps(self.rate_between_switches)
        return self.hosts_per_leaf * ccsim.link_data_gbps(self.host_rate) / up_gbps

    def notes(self) -> Iterator[str]:
        up = f"{self.spines * self.parallel} links of {self.rate_between_switches}"
        yield f"over-subscription {self.oversubscription():.2f} : 1 ({self.hosts_per_leaf} hosts of {self.host_rate} over {up})"

    def lay_out(self, layout: Layout) -> None:
        lay_out_tree(layout, m=[self.hosts_per_leaf, self.leaves], w=[1, self.spines], p=[1, self.parallel])


TOPOLOGIES.add("leaf-spine", LeafSpine)
