# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Switches each of which is linked to each other; two switches are the smallest."""

from itertools import combinations

from tuner.fabric.shapes.base import SHAPES, TOLERATED, Recognized
from tuner.fabric.shapes.switch_graph import SwitchGraph, several


class FullMesh:
    rank = 1

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        n = graph.size
        if len(graph.host_switches) < n * (1 - TOLERATED) or n < 2:
            return None
        missing = n * (n - 1) // 2 - len(graph.pairs)
        if missing > TOLERATED * n * (n - 1) / 2:
            return None
        return Recognized(
            kind="full-mesh",
            text=f"full mesh: {n} switches, each linked to each other" if n > 2 else "two switches that are linked",
            missing=(_missing(graph),) if missing else (),
            opensm=("minhop",) if not missing else ("nue", "updn"),
            reason=(
                "a shortest route takes one link between switches, so none waits for another in a circle"
                if not missing
                else "routes round a missing link can wait for each other in a circle; those of nue do not"
            ),
            routings=("minhop", "updown"),
            order=tuple(graph.host_switches),
        )


def _missing(graph: SwitchGraph) -> str:
    pairs = [(s, t) for s, t in combinations(range(graph.size), 2) if t not in graph.links[s]]
    return f"{several(len(pairs), 'pair of switches has', 'pairs of switches have')} no link: {graph.some_pairs(pairs)}"


SHAPES.add("full-mesh", FullMesh())
