# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Dragonflies (Kim, Dally, Scott and Abts, ISCA 2008): full meshes of switches with hosts, each linked to each other mesh."""

from collections import Counter

from tuner.fabric.shapes.base import SHAPES, TOLERATED, WITH_HOSTS, Recognized
from tuner.fabric.shapes.groups import Groups
from tuner.fabric.shapes.switch_graph import SwitchGraph, several

_ALIKE = 0.75
"""Least share of the switches that are in groups of the usual size."""


class Dragonfly:
    rank = 5

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        if len(graph.host_switches) < WITH_HOSTS * graph.size:
            return None
        meshes = _meshes(graph)
        if not _alike(meshes) or not (groups := Groups(graph, meshes)).joined():
            return None
        whole = sum(len(mesh) * (len(mesh) - 1) for mesh in meshes) // 2
        absent = whole - sum(_pairs_within(graph, set(mesh)) for mesh in meshes)
        if absent > TOLERATED * whole:
            return None
        return Recognized(
            kind="dragonfly",
            text=f"dragonfly: {len(meshes)} groups of {groups.sizes} switches, {graph.size} together",
            missing=(*_missing(absent), *groups.missing()),
            opensm=("dfsssp", "nue"),
            reason="shortest routes need VLs against credit loops, which dfsssp chooses; nue has none with any number of VLs",
            routings=("updown",),
            order=groups.order(),
        )


def _alike(meshes: list[list[int]]) -> bool:
    """True if there are several meshes of at least three switches, most of one size."""
    sizes = Counter(map(len, meshes))
    usual, count = sizes.most_common(1)[0] if sizes else (0, 0)
    return len(meshes) > 1 and usual > 2 and usual * count >= _ALIKE * sum(map(len, meshes))


def _missing(absent: int) -> list[str]:
    return (
        [several(absent, "pair of switches of a group has no link", "pairs of switches of a group have no link")]
        if absent
        else []
    )


def _pairs_within(graph: SwitchGraph, mesh: set[int]) -> int:
    return sum(1 for s in mesh for t in graph.links[s] if s < t and t in mesh)


def _meshes(graph: SwitchGraph) -> list[list[int]]:
    """Groups around the linked pairs that have the most neighbours in common, which are pairs of one group; ascending by their
    lowest switch. Empty if no pair has any."""
    peers = [set(links) for links in graph.links]
    common = {(s, t): len(peers[s] & peers[t]) for s, t in graph.pairs}
    if not any(common.values()):
        return []
    left = set(range(graph.size))
    meshes = []
    for s, t in sorted(graph.pairs, key=lambda pair: (-common[pair], pair)):
        if s in left and t in left:
            near = {s, t} | peers[s] & peers[t] & left
            # A switch of another group can be linked to both, but not to most of the others.
            mesh = {u for u in near if 2 * len(peers[u] & near) >= len(near) - 1}
            meshes.append(sorted(mesh))
            left -= mesh
    return sorted([*meshes, *([s] for s in left)])


SHAPES.add("dragonfly", Dragonfly())
