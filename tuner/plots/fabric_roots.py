# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which ports were roots of congestion trees: by the packets that they marked, or, where none did, by how they sent and waited."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass

from tuner.documents.fabric import End, FabricDocument

ALWAYS_BUSY = 0.9
"""Of the run: a port that sent or waited for so much of it had packets all along."""
WAITED = 0.05
"""Of the run: a port that waited for so much of it is a branch of a congestion tree, or is held back by one."""


@dataclass(frozen=True, kw_only=True)
class PortUse:
    """What a port did, as fractions of the run, and the packets that it marked (FECN)."""

    sent: float
    waited: float
    marked: int


@dataclass(frozen=True, kw_only=True)
class Roots:
    """`ports`: a weight by port, the largest first. `marked`: whether these marked packets, and the weight is how many; else they are
    told by how they sent, and the weight is 1."""

    ports: Mapping[End, int]
    marked: bool


def roots(document: FabricDocument, uses: Mapping[End, PortUse]) -> Roots:
    """Ports of switches that marked packets. If none did, as without congestion control: those that always had packets and were not
    held up by a switch behind them, which a port to a host cannot be, while ports that send to their switch waited."""
    marked = {end: use.marked for end, use in uses.items() if use.marked}
    if marked:
        return Roots(ports=dict(sorted(marked.items(), key=lambda item: (-item[1], item[0]))), marked=True)
    n_switches = len(document.switches)
    peer = {one: other for _, a, b in document.ends() for one, other in ((a, b), (b, a))}
    waits_for: dict[int, int] = defaultdict(int)  # by switch, the ports that waited to send to it
    for end, use in uses.items():
        waits_for[peer[end].node] += use.waited >= WAITED
    found = {}
    for end, use in sorted(uses.items()):
        free = peer[end].node >= n_switches or use.waited < WAITED
        if end.node < n_switches and use.sent + use.waited >= ALWAYS_BUSY and free and waits_for[end.node]:
            found[end] = 1
    return Roots(ports=found, marked=False)
