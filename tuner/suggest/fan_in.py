# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads the fan-in from a workload: how many contributors a hotspot has at a time.

Hotspots are receivers, and links between switches, that hold flows back once all have their max-min fair shares. The fan-in of
one is what it carries, divided by the share of a flow that it holds back: slow flows beside them leave more for those, and
count for less. Destinations that are drawn for each message, or taken in turn, make queues that go away by themselves: such
flows are left out.
"""

import math
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.documents.expanded_flow import Destinations, ExpandedFlow
from tuner.documents.fabric import End
from tuner.documents.flow import Flow
from tuner.documents.hosts import Endport
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.max_min import bottlenecks
from tuner.suggest.path import Path
from tuner.suggest.receivers import link_payloads, notifying

MOST_MOMENTS = 24
"""Moments of a workload that are looked at, those with the most flows."""


@dataclass(frozen=True, kw_only=True)
class Hotspot:
    """A receiver, or a link, that is asked for more than it takes."""

    name: str
    """The receiver's reference; of one that moves, a description of its places; of a link, SWITCH/PORT."""
    path: Path
    contributors: int
    """Number of flows that would fill it, each with the share of a flow that it holds back; at least 2."""
    notifies: bool
    """Some of the receivers that flows go to from here answer marks; where none does, no profile holds contributors back."""


def hotspots(built: BuiltFabric, workload: Workload, paths: Mapping[Endport, Path]) -> list[Hotspot]:
    """Returns the hotspots of a workload, the largest fan-in first. Raises BadInputError if the workload does not fit."""
    expanded = workload.expanded(built.hosts)
    ways = _Ways(built, paths)
    flows = [(flow, ways.way(flow)) for flow in expanded.flows if not _is_drawn(flow)]
    worst: dict[Hashable, float] = {}
    for active in _moments(expanded, flows):
        asked = [(ways.demand_gbps(flow), links) for flow, links in active]
        for link, share in bottlenecks(asked, ways.capacity_gbps).items():
            worst[link] = min(share, worst.get(link, math.inf))
    found = [ways.hotspot(link, share) for link, share in worst.items() if link not in ways.first]
    return sorted((one for one in found if one.contributors >= 2), key=lambda one: (-one.contributors, one.name))


def _is_drawn(flow: Flow) -> bool:
    return isinstance(flow, ExpandedFlow) and flow.destinations is not None and flow.destinations.order != "moving"


def _moments(workload: Workload, flows: Sequence[tuple[Flow, list[Hashable]]]) -> Iterator[list[tuple[Flow, list[Hashable]]]]:
    """Yields the flows that are active together, at the moments just before some of them end."""
    starts = sorted({flow.start_s for flow, _ in flows})
    stops = sorted({workload.stop_of(flow) for flow, _ in flows})
    last_starts = {max((start for start in starts if start < stop), default=0.0) for stop in stops[-1000:]}
    sets = [[one for one in flows if one[0].start_s <= now < workload.stop_of(one[0])] for now in sorted(last_starts)]
    yield from sorted(sets, key=len, reverse=True)[:MOST_MOMENTS]


class _Ways:
    """Looks up which links a flow takes, and what they carry."""

    def __init__(self, built: BuiltFabric, paths: Mapping[Endport, Path]) -> None:
        self._built, self._paths = built, paths
        self._link_gbps = link_payloads(built.document)
        self.capacity_gbps: dict[Hashable, float] = {}
        self.first: set[Hashable] = set()
        """Links of senders: what holds a flow back there is no congestion of the fabric."""
        self._found: dict[Hashable, tuple[str, Path]] = {}
        self._notifying = set(notifying(built.document, paths))
        self._told: set[Hashable] = set()
        """Receivers and links of which some sender learns that they are congested."""

    def way(self, flow: Flow) -> list[Hashable]:
        """Raises BadInputError if there is none."""
        source = self._built.hosts.find(flow.src)
        first = (source.node, source.port)
        self.first.add(first)
        self.capacity_gbps[first] = self._built.hosts.capacity_gbps(flow.src, flow.message_bytes)
        drawn = flow.destinations if isinstance(flow, ExpandedFlow) else None
        if drawn is not None:
            self._moving(drawn)
            return [first, drawn]
        self._built.require_route(flow.src, flow.dst)
        target = self._built.hosts.find(flow.dst)
        fabric = self._built.fabric
        hops = fabric.route(fabric.endport(source.node, source.port), fabric.endport(target.node, target.port))[1:]
        path = self._paths[target]
        for node, port in hops[:-1]:
            self.capacity_gbps[node, port] = gbps = self._link_gbps[End(node, port)]
            self._found[node, port] = f"{fabric.node_name(node)}/{port}", replace(path, receive_gbps=gbps)
        self.capacity_gbps[hops[-1]] = path.receive_gbps
        self._found[hops[-1]] = flow.dst, path
        if target in self._notifying:
            self._told.update(hops)
        return [first, *hops]

    def _moving(self, drawn: Destinations) -> None:
        """Records the slowest of the places: contributors wait longest there."""
        if drawn not in self._found:
            places = {host: self._paths[self._built.hosts.find(host)] for host in drawn.hosts}
            path = min(places.values(), key=lambda one: one.receive_gbps)
            self._found[drawn] = drawn.describe(), path
            self.capacity_gbps[drawn] = path.receive_gbps
            if any(self._built.hosts.find(host) in self._notifying for host in drawn.hosts):
                self._told.add(drawn)

    def demand_gbps(self, flow: Flow) -> float:
        return math.inf if flow.rate_gbps is None else flow.rate_gbps

    def hotspot(self, link: Hashable, share_gbps: float) -> Hotspot:
        name, path = self._found[link]
        contributors = math.ceil(path.receive_gbps / share_gbps - 1e-6)
        return Hotspot(name=name, path=path, contributors=contributors, notifies=link in self._told)
