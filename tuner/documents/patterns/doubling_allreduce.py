# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All-reduce of a small message by recursive doubling, as MPI libraries do it: few rounds, in each of which everybody waits."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.documents.patterns.rounds import round_name, rounds
from tuner.errors import BadInputError


class DoublingAllreduce(ClosedLoop):
    """In round r, every host sends `message_bytes` to the one 2^r places on, and waits for the one 2^r places before it. After
    the last round it begins again, without end. A round trip of a host's first flow is the time of one all-reduce."""

    examples = ({"hosts": ["H[1-8]"], "message_bytes": 8}, {"hosts": ["H[1-5]"], "message_bytes": 2048, "think_us": 1.0})

    kind: Literal["doubling-allreduce"]
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        members = select_all(hosts, self.hosts)
        n = len(members)
        if n < 2:
            raise BadInputError(f"pattern '{self.name}' finds {n} host on this fabric; an all-reduce needs two at least")
        again = [(round_name(self.name, n, i, 0),) for i in range(n)]
        first = Loop(window=1, grants=(), needs=2)
        return rounds(self, self.name, members, message_bytes=self.message_bytes, first=first, after=again)


PATTERNS.add("doubling-allreduce", DoublingAllreduce)
