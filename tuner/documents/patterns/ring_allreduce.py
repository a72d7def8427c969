# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ring all-reduce: chunks go round a ring of hosts, and each host passes on only what it has received."""

from typing import Annotated, Literal

from tuner.document_base.model import ListOf, Within
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.errors import BadInputError


class RingAllreduce(ClosedLoop):
    """One flow for each host, to the next one in the ring. All begin with `window` chunks of `message_bytes`; after that, a chunk
    is sent for each that arrives, `think_us` later: the time to add it up. The steps follow each other without end."""

    examples = ({"hosts": ["H[1-8]"], "message_bytes": 16384}, {"window": 2, "think_us": 2.0})

    kind: Literal["ring-allreduce"]
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, in the order of the ring."""
    window: Annotated[int, Within(1, 65536)] = 1
    """Number of chunks that a host sends before it has received any, as in a pipeline of that number of rings."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        ring = select_all(hosts, self.hosts)
        if len(ring) < 2:
            raise BadInputError(f"pattern '{self.name}' finds {len(ring)} host on this fabric; a ring needs two at least")
        names = [f"{self.name}-{i + 1}" for i in range(len(ring))]
        after = [*range(1, len(ring)), 0]
        return [
            make_flow(
                self, name=names[i], src=ring[i], dst=ring[j], role=self.role, loop=Loop(self.window, (names[j],), self.think_us)
            )
            for i, j in enumerate(after)
        ]


PATTERNS.add("ring-allreduce", RingAllreduce)
