# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Dragonfly+ (Shpiner, Haramaty, Eliad, Zdornov, Gafni and Zahavi, HiPINEB 2017): two-level trees whose spines are linked."""

from tuner.fabric.shapes.base import SHAPES, TOLERATED, Recognized
from tuner.fabric.shapes.groups import Groups
from tuner.fabric.shapes.switch_graph import SwitchGraph, several


class DragonflyPlus:
    rank = 2

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        leaves = {s for s in graph.host_switches if graph.hosts[s] > TOLERATED * max(graph.hosts)}
        if len(leaves) == graph.size:
            return None
        groups = Groups(graph, graph.parts(joins=lambda s, t: s in leaves or t in leaves))
        if not groups.joined() or not all(_is_tree(graph, group, leaves) for group in groups.groups):
            return None
        if len(groups.groups) == 2 and groups.between.total() <= TOLERATED * graph.num_links:
            return None  # two trees whose spines some cables join
        absent = sum(_possible(group, leaves) - _upward(graph, group, leaves) for group in groups.groups)
        sizes = f"{len(leaves)} leaves and {graph.size - len(leaves)} spines"
        if len(groups.groups) > 2 or _are_halves(graph, groups, leaves):
            kind, text = "dragonfly-plus", f"dragonfly+: {len(groups.groups)} groups of {groups.sizes} switches, {sizes}"
            missing = (*_missing(absent), *groups.missing())
        else:
            kind = "joined-trees"
            text = f"two trees of two levels (leaf-spine) whose spines {groups.between.total()} links join: {sizes}"
            missing = (*_missing(absent),)
        return Recognized(
            kind=kind,
            text=text,
            missing=missing,
            opensm=("dfsssp", "nue"),
            reason="shortest routes need VLs against credit loops, which dfsssp chooses; nue has none with any number of VLs",
            routings=("minhop", "updown"),
            order=groups.order(),
        )


def _are_halves(graph: SwitchGraph, groups: Groups, leaves: set[int]) -> bool:
    """True if two groups are alike, with at least half as many links between them as the leaves of each have to its spines: in a
    dragonfly+ as many of a spine's ports lead to other groups as down. Two clusters that somebody joins have fewer cables, or
    other sizes."""
    below = [leaves.intersection(group) for group in groups.groups]
    alike = len(groups.groups[0]) == len(groups.groups[1]) and len(below[0]) == len(below[1])
    return alike and 2 * groups.between.total() >= max(sum(sum(graph.links[s].values()) for s in part) for part in below)


def _missing(absent: int) -> list[str]:
    return (
        [several(absent, "leaf lacks a link to a spine", "links of a leaf to a spine of its group are missing")] if absent else []
    )


def _is_tree(graph: SwitchGraph, group: list[int], leaves: set[int]) -> bool:
    """True if almost each leaf of a group is linked to each of its spines, and to no leaf."""
    possible, up = _possible(group, leaves), _upward(graph, group, leaves)
    level = sum(1 for s in group if s in leaves for t in graph.links[s] if t in leaves)
    return possible > 0 and up >= (1 - TOLERATED) * possible and level <= TOLERATED * up


def _possible(group: list[int], leaves: set[int]) -> int:
    """Pairs of a leaf and a spine of the group."""
    below = sum(1 for s in group if s in leaves)
    return below * (len(group) - below)


def _upward(graph: SwitchGraph, group: list[int], leaves: set[int]) -> int:
    """Those of them that are linked."""
    return sum(1 for s in group if s in leaves for t in graph.links[s] if t not in leaves)


SHAPES.add("dragonfly-plus", DragonflyPlus())
