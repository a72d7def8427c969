# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from itertools import permutations
from math import prod

import pytest

from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate


@pytest.mark.parametrize(("m", "w"), [([2, 3, 2], [1, 2, 2]), ([4, 4], [1, 4]), ([2, 2, 2, 2], [1, 2, 1, 2])])
def test_d_mod_k_goes_over_the_top_switch_that_the_numbering_says(m: list[int], w: list[int]) -> None:
    built = build(generate("xgft", m=m, w=w))
    for src, dst in permutations(range(prod(m)), 2):
        route = built.fabric.route(built.endport(f"H{src + 1}"), built.endport(f"H{dst + 1}"))
        names = [built.fabric.node_name(node) for node, _ in route[1:]]
        # Up to the lowest level whose subtree holds both, straight down again.
        height = next(level for level in range(1, len(m) + 1) if src // prod(m[:level]) == dst // prod(m[:level]))
        assert len(names) == 2 * height - 1
        level, number = names[height - 1].removeprefix("S").split("-")
        tops = prod(w[:height])
        assert (int(level), int(number) - 1) == (height, dst // prod(m[:height]) * tops + dst % tops)
