# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The parking lot problem on k-ary n-trees: the formula, and the simulator against it."""

import numpy as np
import pytest

from experiments._common.reference import reference
from experiments._common.runs import measure_one
from experiments.parking_lot.experiment import EXPERIMENT
from experiments.parking_lot.tree import Tree, fabrics
from experiments.registry import Options


@pytest.mark.parametrize("tree", [Tree(k=2, n=1), Tree(k=2, n=5), Tree(k=4, n=3), Tree(k=5, n=2), Tree(k=3, n=3, destination=13)])
def test_the_formulas_shares_fill_the_link(tree: Tree) -> None:
    levels = [tree.level(source) for source in tree.sources]
    assert sum(tree.share(level) for level in levels) == pytest.approx(1)
    k, n = tree.k, tree.n
    for level in range(1, n + 1):
        assert levels.count(level) == k**level - k ** (level - 1)


def test_the_printed_example() -> None:
    tree = Tree(k=4, n=3)
    assert [tree.share(level) for level in (1, 2, 3)] == pytest.approx(reference("parking_lot.example_4_ary_3_tree"))


@pytest.mark.long
@pytest.mark.parametrize("tree", [Tree(k=2, n=3), Tree(k=3, n=2, destination=4)])
def test_round_robin_follows_it_and_cc_makes_all_equal(tree: Tree) -> None:
    with fabrics([tree]) as paths:
        (off, total_off), (on, total_on) = (tree.shares(measure_one(tree.run(paths[tree], cc=cc))) for cc in (False, True))
    assert tree.worst(off) < 0.02
    assert on * len(on) == pytest.approx(np.ones(len(on)), abs=0.12)
    assert total_on > 0.95 * total_off


@pytest.mark.slow
def test_a_quick_look_holds() -> None:
    assert EXPERIMENT.run(Options(quick=True, workers=1)).holds
