# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Algorithm 1 of Hostping (section 4.3), and the rules that the paper puts after it, in their order.

The paper prints the test for gray links inside the branch for links that are abnormal already; read so, it can never hold. Here
it stands beside that branch. The rule about an adapter's PCIe link comes first, and that adapter's paths are left out then: else
the root port and the GPUs beside the adapter are named too, as no normal path clears them.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from tuner.hostping.matrix import Matrix, Place
from tuner.hostping.path_states import PathState, path_states
from tuner.hostping.topology import HostTopology, device_link


class LinkMark(StrEnum):
    UNCERTAIN = "uncertain"
    NORMAL = "normal"
    ABNORMAL = "abnormal"
    GREY = "grey"


@dataclass(frozen=True, kw_only=True)
class Published:
    """What the paper's method finds."""

    marks: Mapping[str, LinkMark]
    """By link."""
    counts: Mapping[str, int]
    """How many adapters mark an abnormal link so."""
    slow_adapters: tuple[str, ...]
    """Adapters all of whose affinitive paths are abnormal."""
    named: tuple[str, ...]
    """Links that are blamed; on a busy host those with the highest count."""


def published(topology: HostTopology, matrix: Matrix) -> Published:
    states = path_states(topology, matrix)
    slow = tuple(adapter for adapter in topology.adapter_names if _is_slow_everywhere(topology, states, adapter))
    marks, counts = algorithm_1(topology, {place: state for place, state in states.items() if place[0] not in slow}, matrix)
    abnormal = sorted(link for link, mark in marks.items() if mark is LinkMark.ABNORMAL)
    if matrix.triggered_by is not None and abnormal:
        most = max(counts[link] for link in abnormal)
        abnormal = [link for link in abnormal if counts[link] == most]
    named = [*(device_link(adapter) for adapter in slow), *abnormal]
    if not named and matrix.triggered_by is not None:
        named = [device_link(matrix.triggered_by)]
    return Published(marks=marks, counts=counts, slow_adapters=slow, named=tuple(sorted(set(named))))


def algorithm_1(
    topology: HostTopology, states: Mapping[Place, PathState], matrix: Matrix
) -> tuple[dict[str, LinkMark], dict[str, int]]:
    """The mark of each link, and by how many adapters an abnormal one is marked so."""
    marks = dict.fromkeys(topology.kinds, LinkMark.UNCERTAIN)
    for place, state in states.items():
        if state is PathState.NORMAL:
            marks |= dict.fromkeys(topology.path(*place), LinkMark.NORMAL)
    marked_by: dict[str, set[str]] = {}
    for place, state in states.items():
        if state is PathState.ABNORMAL:
            links = judged_links(topology, matrix, place)
            for link in links:
                if marks[link] is LinkMark.UNCERTAIN:
                    marks[link] = LinkMark.ABNORMAL
                if marks[link] is LinkMark.ABNORMAL:
                    marked_by.setdefault(link, set()).add(place[0])
            if links and all(marks[link] is LinkMark.NORMAL for link in links):
                marks |= dict.fromkeys(links, LinkMark.GREY)
    return marks, {link: len(adapters) for link, adapters in marked_by.items()}


def judged_links(topology: HostTopology, matrix: Matrix, place: Place) -> frozenset[str]:
    """Links of a path that this path judges: in a triggered run the adapter that triggered it alone judges what is below its root
    port."""
    path = topology.path(*place)
    if matrix.triggered_by in (None, place[0]):
        return path
    return path - topology.links_under_root_port_of(matrix.triggered_by)


def _is_slow_everywhere(topology: HostTopology, states: Mapping[Place, PathState], adapter: str) -> bool:
    near = [states.get((adapter, endpoint), PathState.UNCERTAIN) for endpoint in topology.affinitive_endpoints(adapter)]
    return bool(near) and all(state is PathState.ABNORMAL for state in near)
