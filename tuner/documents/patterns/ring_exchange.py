# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ring exchange: every host exchanges a message with both neighbours in a ring, and waits for both: a halo exchange in one
dimension."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.documents.patterns.rounds import round_name, rounds
from tuner.errors import BadInputError

_BARRIER_BYTES = 8


class RingExchange(ClosedLoop):
    """Two flows for each host, NAME-right-1 to the next and NAME-left-1 to the one before it. A host begins again when both of
    its neighbours' messages have arrived. A round trip of its flows is the time of one exchange."""

    examples = (
        {"hosts": ["H[1-6]"], "message_bytes": 8, "think_us": 1.0},
        {"hosts": ["H[1-5]"], "message_bytes": 32768, "barrier": True},
    )

    kind: Literal["ring-exchange"]
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, in the order of the ring."""
    barrier: bool = False
    """Each exchange ends for all hosts together: flows NAME-barrier-1, … of 8 bytes a message tell everybody that all have their
    messages."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        ring = select_all(hosts, self.hosts)
        n = len(ring)
        if n < 2:
            raise BadInputError(f"pattern '{self.name}' finds {n} host on this fabric; a ring needs two at least")
        right, left = ([f"{self.name}-{way}-{i + 1}" for i in range(n)] for way in ("right", "left"))
        both = list(zip(right, left, strict=True))
        stem = f"{self.name}-barrier"
        flows = []
        for i in range(n):
            for names, j in ((right, (i + 1) % n), (left, (i - 1) % n)):
                # With a barrier, a host has done its part when both of its own messages and both of its neighbours' are there.
                grants = (round_name(stem, n, i, 0), round_name(stem, n, j, 0)) if self.barrier else both[j]
                loop = Loop(1, grants, self.think_us, needs=2)
                flows.append(make_flow(self, name=names[i], src=ring[i], dst=ring[j], role=self.role, loop=loop))
        if self.barrier:
            first = Loop(window=0, grants=(), needs=4)
            flows += rounds(self, stem, ring, message_bytes=_BARRIER_BYTES, first=first, after=both)
        return flows


PATTERNS.add("ring-exchange", RingExchange)
