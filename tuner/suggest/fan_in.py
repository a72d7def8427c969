# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fan-in: how many contributors a receiver has at a time, as a workload's flows say it.

Flows to a receiver that together ask for less than it takes make no congestion. Of the others, those count in full that ask for
more than their fair share; slow ones beside them leave a larger share for those. So the fan-in of a receiver is what it takes,
divided by the fair share (max-min) of the flows that are active together.
"""

import math
from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from tuner.documents.expanded_flow import Destinations, ExpandedFlow
from tuner.documents.flow import Flow
from tuner.documents.hosts import Endport
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.rule import Link


@dataclass(frozen=True, kw_only=True)
class Hotspot:
    """A receiver that is asked for more than it takes."""

    host: str
    """Its reference; of hotspots that move, a description of their places."""
    link: Link
    contributors: int
    """Flows that are held back to their fair share, at the worst moment; at least 2."""


def hotspots(built: BuiltFabric, workload: Workload, links: Mapping[Endport, Link]) -> list[Hotspot]:
    """Returns the hotspots of a workload on a fabric, the largest fan-in first. Destinations that are drawn for each message or
    taken in turn are left out: what meets there by chance goes away by itself. Raises BadInputError if the workload does not fit
    the fabric."""
    expanded = workload.expanded(built.hosts)
    by_receiver: dict[object, list[Flow]] = defaultdict(list)
    names: dict[object, str] = {}
    for flow in expanded.flows:
        for receiver in _receivers(flow):
            by_receiver[receiver].append(flow)
            names[receiver] = flow.dst
    found = []
    for receiver, flows in by_receiver.items():
        link = _link(built, links, flows[0])
        demands = [(flow, _demand_gbps(built, flow)) for flow in flows]
        if (count := _most_held_back(expanded, demands, link.receive_gbps)) >= 2:
            found.append(Hotspot(host=names[receiver], link=link, contributors=count))
    return sorted(found, key=lambda hotspot: (-hotspot.contributors, hotspot.host))


def _receivers(flow: Flow) -> Iterator[object]:
    drawn = flow.destinations if isinstance(flow, ExpandedFlow) else None
    if drawn is None:
        yield flow.dst
    elif drawn.order == "moving":
        yield drawn


def _link(built: BuiltFabric, links: Mapping[Endport, Link], flow: Flow) -> Link:
    """The slowest of a moving hotspot's places: contributors wait longest there."""
    drawn = flow.destinations if isinstance(flow, ExpandedFlow) else None
    hosts = drawn.hosts if isinstance(drawn, Destinations) else (flow.dst,)
    return min((links[built.hosts.find(host)] for host in dict.fromkeys(hosts)), key=lambda link: link.receive_gbps)


def _demand_gbps(built: BuiltFabric, flow: Flow) -> float:
    capacity = built.hosts.capacity_gbps(flow.src, flow.message_bytes)
    return capacity if flow.rate_gbps is None else min(flow.rate_gbps, capacity)


def _most_held_back(workload: Workload, demands: list[tuple[Flow, float]], receive_gbps: float) -> int:
    """Over the moments at which a flow starts, as the set of active flows grows only then."""
    most = 0
    for now in sorted({flow.start_s for flow, _ in demands}):
        active = [gbps for flow, gbps in demands if flow.start_s <= now < workload.stop_of(flow)]
        most = max(most, held_back(active, receive_gbps))
    return most


def held_back(demands_gbps: list[float], receive_gbps: float) -> int:
    """Returns the number of equal contributors that would have the fair share of these; 0 if all get what they ask for."""
    left, ascending = receive_gbps, sorted(demands_gbps)
    for i, demand in enumerate(ascending):
        share = left / (len(ascending) - i)
        if demand > share:
            return math.ceil(receive_gbps / share - 1e-9)
        left -= demand
    return 0
