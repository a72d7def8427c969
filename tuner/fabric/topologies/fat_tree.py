# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The building of fat trees, which the kinds of tree share.

All are parallel-ports generalised fat trees, PGFT(h; m_1 … m_h; w_1 … w_h; p_1 … p_h): an XGFT (Öhring, Ibel, Das and Kumar,
"On generalized fat trees", IPPS 1995) with p_i parallel links in place of each link between the levels i - 1 and i (Zahavi,
"D-Mod-K routing providing non-blocking traffic for shift permutations on real life fat trees", 2010). Level 0 are the hosts.

A switch on level i is told by the subtree of that height in which it stands, Y, counted from the left, and by its position X
among the switches that top this subtree. Its parents stand in the subtree Y // m_(i+1), at the positions X + x · w_1 … w_i.
Hosts thus are numbered from the left, and host d is reached from the top switch at d mod (w_1 … w_h) when every switch on the
way sends what goes up to its ((d // (w_1 … w_i)) mod (w_(i+1) p_(i+1)))-th port up: d-mod-k.
"""

from collections.abc import Sequence
from itertools import accumulate
from operator import mul

from tuner.fabric.topologies.layout import Layout


def lay_out_tree(layout: Layout, m: Sequence[int], w: Sequence[int], p: Sequence[int] | None = None) -> None:
    """Adds a tree of the height len(m). The switches of level i, 1 being the leaves, are Si-1, Si-2, … from the left; their
    lower ports lead down, child by child, the higher ones up, parent by parent; of parallel links, all first ones come first.
    w_1 and p_1 are 1: hosts have one port."""
    height = len(m)
    p = [1] * height if p is None else p
    subtrees = list(accumulate(reversed(m), mul, initial=1))[::-1]  # by level: how many subtrees of this height
    tops = list(accumulate(w, mul, initial=1))  # by level: how many switches top each
    names = [
        [
            layout.switch(f"S{level}-{i + 1}", m[level - 1] * p[level - 1] + (w[level] * p[level] if level < height else 0))
            for i in range(subtrees[level] * tops[level])
        ]
        for level in range(1, height + 1)
    ]
    for host in range(subtrees[0]):
        layout.host(names[0][host // m[0]], host % m[0] + 1)
    for level in range(1, height):
        children, parents = m[level], w[level]
        first_up = m[level - 1] * p[level - 1] + 1
        for i, name in enumerate(names[level - 1]):
            subtree, position = divmod(i, tops[level])
            for copy in range(p[level]):
                for x in range(parents):
                    parent = subtree // children * tops[level + 1] + position + x * tops[level]
                    port = copy * children + subtree % children + 1
                    layout.link(name, first_up + copy * parents + x, names[level][parent], port)
