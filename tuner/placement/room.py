# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Room for victims: what the links on their way carry besides the contributors' fair shares. Victims that ask for no more are
held back by the congestion tree alone, and by nothing that a profile cannot mend."""

from collections import Counter
from collections.abc import Mapping

from tuner.documents.fabric import End
from tuner.documents.flow import MIN_GBPS
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.paths import Link, Paths
from tuner.suggest.receivers import link_payloads, paths

HEADROOM = 0.92
"""Fraction of a link's payload that flows fill."""


def victims_room(workload: Workload, built: BuiltFabric) -> Mapping[str, float]:
    """Returns the payload rate in Gb/s for each victim without a rate that has less room than it can send, by flow. `workload`:
    placed single flows."""
    ways, carries = Paths(built, ()), link_payloads(built.document)
    contributors = [flow for flow in workload.flows if flow.role == "contributor"]
    victims = [flow for flow in workload.flows if flow.role == "victim"]
    senders = Counter(flow.dst for flow in contributors)
    takes = {endport: path.receive_gbps for endport, path in paths(built).items()}
    load: dict[Link, float] = {}
    for flow in contributors:
        share = min(
            takes[built.hosts.find(flow.dst)] / senders[flow.dst], built.hosts.capacity_gbps(flow.src, flow.message_bytes)
        )
        share = share if flow.rate_gbps is None else min(share, flow.rate_gbps)
        for link in ways.between_switches(flow.src, flow.dst):
            load[link] = load.get(link, 0.0) + share
    crowd = Counter(link for flow in victims for link in ways.between_switches(flow.src, flow.dst))
    found = {}
    for flow in victims:
        links = ways.between_switches(flow.src, flow.dst)
        if flow.rate_gbps is not None or not links:
            continue
        room = min(max(0.0, HEADROOM * carries[End(*link)] - load.get(link, 0.0)) / crowd[link] for link in links)
        if room < built.hosts.capacity_gbps(flow.src, flow.message_bytes):
            found[flow.name] = max(float(f"{room:.4g}"), MIN_GBPS * flow.qps)
    return found
