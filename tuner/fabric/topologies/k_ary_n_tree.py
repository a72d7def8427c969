# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""k-ary n-trees (Petrini and Vanneschi, "k-ary n-trees: high performance networks for massively parallel architectures")."""

from typing import Annotated

from tuner.document_base.model import Within
from tuner.fabric.topologies.base import MAX_PORTS, TOPOLOGIES, Topology
from tuner.fabric.topologies.fat_tree import lay_out_tree
from tuner.fabric.topologies.layout import Counts, Layout


class KAryNTree(Topology):
    """k^n hosts under n levels of k^(n-1) switches with k links down and k up; those of the top level have only links down."""

    suited_routing = "dmodk"
    examples = ({"k": 2, "n": 3}, {"k": 4, "n": 3}, {"k": 3, "n": 1}, {"k": 2, "n": 5}, {"k": 5, "n": 2})

    k: Annotated[int, Within(2, MAX_PORTS)]
    """Links down, and up, of a switch."""
    n: Annotated[int, Within(1, 15)]
    """Levels of switches."""

    def expected(self) -> Counts:
        k, n = self.k, self.n
        return Counts(hosts=k**n, switches=n * k ** (n - 1), links=n * k**n)

    def switch_ports(self) -> int:
        return self.k if self.n == 1 else 2 * self.k

    def diameter(self) -> int:
        return 2 * (self.n - 1)

    def lay_out(self, layout: Layout) -> None:
        lay_out_tree(layout, m=[self.k] * self.n, w=[1] + [self.k] * (self.n - 1))


TOPOLOGIES.add("k-ary-n-tree", KAryNTree)
