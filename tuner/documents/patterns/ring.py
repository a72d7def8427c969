# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ring: every host sends to the next, the last to the first."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all
from tuner.documents.patterns.open_loop import OpenLoop


class Ring(OpenLoop):
    """One flow for each host, or two."""

    examples = ({"load": 1.0}, {"hosts": ["H[1-6]"], "both_ways": True, "rate_gbps": 4.0})

    kind: Literal["ring"]
    role: Role = "other"
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, in the order of the ring."""
    both_ways: bool = False
    """Every host sends to the one before it too. Each flow has `load` or `rate_gbps` of its own."""

    def ends(self, hosts: HostSelector) -> Ends:
        members = select_all(hosts, self.hosts)
        if len(members) < 2:
            return []
        after = [*members[1:], members[0]]
        ends: Ends = list(zip(members, after, strict=True))
        return ends + list(zip(after, members, strict=True)) if self.both_ways else ends


PATTERNS.add("ring", Ring)
