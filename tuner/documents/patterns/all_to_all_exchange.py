# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All-to-all exchange by pairwise steps, as MPI libraries do it with long messages: the transposes of a distributed FFT."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.errors import BadInputError


class AllToAllExchange(ClosedLoop):
    """In step k, every host sends `message_bytes` to the one k places on, and waits for its own message's arrival and for that of
    the one k places before it: MPI_Sendrecv. After the last step, to the host before its own place, it computes for `think_us`
    and begins again. A round trip of a host's flows is the time of one exchange with all."""

    examples = ({"hosts": ["H[1-5]"], "message_bytes": 2048}, {"hosts": ["H[1-8]"], "message_bytes": 8192, "think_us": 5.0})

    kind: Literal["all-to-all-exchange"]
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, in the order of ranks."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        ranks = select_all(hosts, self.hosts)
        n = len(ranks)
        if n < 2:
            raise BadInputError(f"pattern '{self.name}' finds {n} host on this fabric; an exchange needs two at least")
        flows = []
        for i in range(n):
            for step in range(1, n):
                j = (i + step) % n
                last = step == n - 1
                following = 1 if last else step + 1
                grants = (self._flow_name(n, i, following), self._flow_name(n, j, following))
                loop = Loop(1 if step == 1 else 0, grants, self.think_us if last else 0.0, needs=2)
                name = self._flow_name(n, i, step)
                flows.append(make_flow(self, name=name, src=ranks[i], dst=ranks[j], role=self.role, loop=loop))
        return flows

    def _flow_name(self, ranks: int, rank: int, step: int) -> str:
        """Name of a rank's flow in a step; `rank` from 0, `step` from 1."""
        return f"{self.name}-{rank * (ranks - 1) + step}"


PATTERNS.add("all-to-all-exchange", AllToAllExchange)
