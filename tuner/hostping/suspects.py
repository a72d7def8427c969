# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which links of a slow path can be what slows it. This is ibcc's rule, beside the paper's Algorithm 1.

A link of a normal path is no suspect. Nor is a link that carried much more on another path: what makes a difference between two
paths is no link that both share. So a busy adapter, which shows no normal path, clears its links by the better of its paths, and
GPUs under another root port, whose paths are never normal, are told apart from that root port.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tuner.hostping.matrix import ABNORMAL_SHARE, Matrix, Place
from tuner.hostping.path_states import PathState, path_states
from tuner.hostping.published import judged_links
from tuner.hostping.topology import HostTopology


@dataclass(frozen=True, kw_only=True)
class SlowPath:
    place: Place
    suspects: frozenset[str]
    """Empty: every link of the path is cleared by other paths."""


@dataclass(frozen=True, kw_only=True)
class Suspects:
    slow_paths: Sequence[SlowPath]
    cleared: frozenset[str]
    """Links of normal paths."""


def suspects(topology: HostTopology, matrix: Matrix) -> Suspects:
    states = path_states(topology, matrix)
    cleared = frozenset(link for place, state in states.items() if state is PathState.NORMAL for link in topology.path(*place))
    carried = _carried_gbps(topology, matrix)
    return Suspects(
        slow_paths=[
            SlowPath(place=place, suspects=_of_path(judged_links(topology, matrix, place) - cleared, place, matrix, carried))
            for place, state in states.items()
            if state is PathState.ABNORMAL and judged_links(topology, matrix, place)
        ],
        cleared=cleared,
    )


def _carried_gbps(topology: HostTopology, matrix: Matrix) -> Mapping[str, float]:
    """The most that each link carried on any path."""
    most: dict[str, float] = {}
    for place, cell in matrix.cells.items():
        for link in topology.path(*place) if cell.bandwidth_gbps is not None else ():
            most[link] = max(most.get(link, 0.0), cell.bandwidth_gbps or 0.0)
    return most


def _of_path(links: frozenset[str], place: Place, matrix: Matrix, carried: Mapping[str, float]) -> frozenset[str]:
    """The least that one of the links carried counts instead of the path's bandwidth if it is more: a link's best path is the
    largest of several noisy values, and the slow link itself must not be cleared by that."""
    if not links:
        return links
    measured = matrix.cells[place].bandwidth_gbps or 0.0
    floor = max(measured, min(carried[link] for link in links))
    return frozenset(link for link in links if (1 - ABNORMAL_SHARE) * carried[link] <= floor)
