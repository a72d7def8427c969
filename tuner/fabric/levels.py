# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Level of each switch of a fabric: the one model of a tree that routing, advice, maps, counts and placement go by.

In a tree, leaves are the switches that most hosts are on; hosts elsewhere, such as storage and servers of the management on
spines, do not make a leaf of their switch, and some links and switches may be missing. The simulator's routings find the levels
by the same algorithm, `ccsim.tree_levels`.
"""

from dataclasses import dataclass

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.fabric.shapes.switch_graph import SwitchGraph


@dataclass(frozen=True)
class Levels:
    """Levels of the switches of a document."""

    level_of: tuple[int | None, ...]
    """By switch: in a tree 1 for leaves, elsewhere for switches with hosts; None where no host can be reached."""
    in_tree: tuple[bool, ...]
    """By switch: whether the part of the fabric that it hangs together with is a tree."""
    tops: tuple[int, ...]
    """Switches at the top of trees; elsewhere those of `full_tops`."""
    full_tops: tuple[int, ...]
    """Switches from which nearly all hosts of their part are equally far, by OpenSM's test for roots, and of these the nearest to
    the hosts."""


def levels(graph: SwitchGraph) -> Levels:
    """Returns the levels of the switches of a graph."""
    level_of, in_tree, tops, full_tops = ccsim.tree_levels([list(peers.elements()) for peers in graph.links], graph.hosts)
    return Levels(tuple(level_of), tuple(in_tree), tuple(tops), tuple(full_tops))


def levels_of_switches(document: FabricDocument) -> tuple[int | None, ...]:
    """Returns the level of each switch: in a tree 1 for leaves, elsewhere for switches with hosts, then 2 for those next to them,
    and so on; None where no host can be reached."""
    return levels(SwitchGraph(document)).level_of
