# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Extended generalised fat trees (Öhring, Ibel, Das and Kumar, "On generalized fat trees", IPPS 1995), with parallel links."""

from math import prod
from typing import Annotated

from pydantic import Field

from tuner.document_base.model import ListOf, misplaced
from tuner.fabric.topologies.base import TOPOLOGIES, PortsTaken, Topology
from tuner.fabric.topologies.fat_tree import lay_out_tree
from tuner.fabric.topologies.layout import Counts, Layout


class Xgft(Topology):
    """XGFT(h; m_1 … m_h; w_1 … w_h): a node of level i has m_i children and w_(i+1) parents; level 0 are the hosts."""

    suited_routing = "dmodk"
    examples = (
        {"m": [3, 4], "w": [1, 2]},
        {"m": [2, 3, 4], "w": [1, 2, 3]},
        {"m": [4, 2, 3], "w": [1, 1, 2], "parallel": [1, 2, 3]},
        {"m": [5], "w": [1]},
        {"m": [2, 1, 3], "w": [1, 3, 1]},
        {"m": [2, 2, 2, 2], "w": [1, 2, 1, 2]},
    )

    m: Annotated[ListOf[PortsTaken], Field(min_length=1, max_length=15)]
    """Children of a node of level 1, of level 2, and so on to the top; as many numbers as there are levels of switches."""
    w: Annotated[ListOf[PortsTaken], Field(min_length=1, max_length=15)]
    """Parents of a host, of a node of level 1, and so on; the first is 1, as hosts have one port."""
    parallel: ListOf[PortsTaken] = ()
    """Parallel links in place of each between a node of level 0, 1, … and a parent; by default 1 everywhere."""

    def check(self) -> None:
        for key, values in (("w", self.w), ("parallel", self.parallel or self.w)):
            if len(values) != len(self.m):
                raise misplaced(f"m has {len(self.m)} numbers and {key} {len(values)}; each has one for every level of switches")
            if values[0] != 1:
                raise misplaced(f"the first number of {key} is {values[0]}; it must be 1, as hosts have one port")

    def expected(self) -> Counts:
        m, w, p, height = self.m, self.w, self._parallel(), len(self.m)
        nodes = [prod(m[level:]) * prod(w[:level]) for level in range(height + 1)]
        links = sum(nodes[level] * w[level] * p[level] for level in range(height))
        return Counts(hosts=nodes[0], switches=sum(nodes[1:]), links=links)

    def switch_ports(self) -> int:
        p = self._parallel()
        up = [w * copies for w, copies in zip(self.w[1:], p[1:], strict=True)] + [0]
        return max(m * copies + ports for m, copies, ports in zip(self.m, p, up, strict=True))

    def diameter(self) -> int:
        """Up to the lowest level on which all hosts are in one subtree, and down again."""
        return 2 * max((level for level, m in enumerate(self.m) if m > 1), default=0)

    def lay_out(self, layout: Layout) -> None:
        lay_out_tree(layout, self.m, self.w, self._parallel())

    def _parallel(self) -> tuple[int, ...]:
        return self.parallel or (1,) * len(self.m)


TOPOLOGIES.add("xgft", Xgft)
