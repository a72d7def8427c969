# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All to all: every host sends a message to each of the others in turn, over and over, as in MPI_Alltoall's linear shift."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import Destinations
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all, to_any_of
from tuner.documents.patterns.open_loop import OpenLoop


class AllToAll(OpenLoop):
    """One flow for each host. It begins with the next in the list, so that at the start no two send to the same host; they are
    not kept in step after that."""

    examples = ({"load": 0.5}, {"hosts": ["H[1-5]"], "rate_gbps": 3.0, "message_bytes": 2048})

    kind: Literal["all-to-all"]
    role: Role = "other"
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""

    def ends(self, hosts: HostSelector) -> Ends:
        members = select_all(hosts, self.hosts)
        return to_any_of(members, Destinations("cyclic", tuple(members)))


PATTERNS.add("all-to-all", AllToAll)
