# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the ports that were roots of congestion trees: by the packets that they marked, or if none did, by how they sent."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from tuner.documents.fabric import End, FabricDocument

WAITED = 0.05
"""Minimum fraction of the run for which a port waited that is a branch of a congestion tree, or is held back by one."""
AS_LONG = 0.9
"""Minimum time for which a root has packets, as a fraction of the longest time that a port which sends to it waited."""
QUEUED_PACKETS = 16
"""Minimum number of packets of the MTU in a queue; fewer meet by chance."""


@dataclass(frozen=True, kw_only=True)
class PortUse:
    """Use of a port: fractions of the run in which it sent and waited, packets that it marked (FECN), and its longest queue."""

    sent: float
    waited: float
    marked: int
    most_queued_bytes: int


@dataclass(frozen=True, kw_only=True)
class Roots:
    """`ports`: a weight by port, the largest first. `marked`: whether the weight is the number of packets that the port marked;
    else none did, the ports are told by how they sent, and the weight is 1."""

    ports: Mapping[End, int]
    marked: bool


def roots(document: FabricDocument, uses: Mapping[End, PortUse]) -> Roots:
    """Ports of switches that marked packets. If none did, as without congestion control: those that had a queue, and packets for
    as long as ports that send to their switch waited, and were not held up by a switch behind, as no port to a host can be."""
    marked = {end: use.marked for end, use in uses.items() if use.marked}
    if marked:
        return Roots(ports=dict(sorted(marked.items(), key=lambda item: (-item[1], item[0]))), marked=True)
    n_switches = len(document.switches)
    peer = {one: other for _, a, b in document.ends() for one, other in ((a, b), (b, a))}
    waited_at: dict[int, float] = defaultdict(float)
    """How long the worst of the ports that send to each node waited."""
    for end, use in uses.items():
        waited_at[peer[end].node] = max(waited_at[peer[end].node], use.waited)
    found = {}
    for end, use in sorted(uses.items()):
        last = peer[end].node >= n_switches or use.waited < WAITED
        queued = use.most_queued_bytes >= QUEUED_PACKETS * document.mtu_bytes
        blamed = WAITED <= waited_at[end.node] <= (use.sent + use.waited) / AS_LONG
        if end.node < n_switches and last and queued and blamed:
            found[end] = 1
    return Roots(ports=found, marked=False)
