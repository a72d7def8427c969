# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Load that a workload offers, before anything is sent."""

from tuner.documents.hosts import HostDirectory
from tuner.documents.workload import Workload


def offered_gbps(workload: Workload, hosts: HostDirectory) -> float:
    """Returns the greatest sum over all hosts, in Gb/s, of what they are to send at a time. A flow without a rate offers what its
    host's port carries, and no host offers more than that. Patterns must be expanded."""
    begins = {flow.start_s for flow in workload.flows}
    return max(_at(workload, hosts, begin) for begin in begins)


def _at(workload: Workload, hosts: HostDirectory, time_s: float) -> float:
    by_host: dict[str, float] = {}
    limits: dict[str, float] = {}
    for flow in workload.flows:
        if flow.start_s <= time_s < workload.stop_of(flow):
            limits[flow.src] = max(limits.get(flow.src, 0.0), hosts.capacity_gbps(flow.src, flow.message_bytes))
            by_host[flow.src] = by_host.get(flow.src, 0.0) + (limits[flow.src] if flow.rate_gbps is None else flow.rate_gbps)
    return sum(min(sent, limits[host]) for host, sent in by_host.items())
