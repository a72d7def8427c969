# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All hosts on one switch."""

from tuner.fabric.shapes.base import SHAPES, Recognized
from tuner.fabric.shapes.switch_graph import SwitchGraph, several


class Star:
    rank = 0

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        if len(graph.host_switches) > 1:
            return None
        (centre,) = graph.host_switches
        others = graph.size - 1
        return Recognized(
            kind="star",
            text=f"star: {graph.hosts[centre]} host ports on one switch",
            missing=(several(others, "switch has no hosts", "switches have no hosts"),) if others else (),
            opensm=("minhop",),
            reason="there is one way between two hosts, so all engines route alike",
            routings=("minhop",),
            order=(centre,),
        )


SHAPES.add("star", Star())
