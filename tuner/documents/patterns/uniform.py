# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Uniform: every host sends to all others at random, each message to another."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import Destinations
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all, to_any_of
from tuner.documents.patterns.open_loop import OpenLoop


class Uniform(OpenLoop):
    """One flow for each source; the destination of each message is drawn by the run's seed, all equally likely."""

    examples = ({"load": 0.5}, {"hosts": ["H?"], "destinations": ["H1?"], "rate_gbps": 2.0, "message_bytes": 4096})

    kind: Literal["uniform"]
    role: Role = "other"
    hosts: ListOf[HostReference] = ("*",)
    """Senders: hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""
    destinations: ListOf[HostReference] | None = None
    """Receivers, as `hosts`; without it, the same hosts. A host never sends to itself."""

    def ends(self, hosts: HostSelector) -> Ends:
        receivers = self.hosts if self.destinations is None else self.destinations
        return to_any_of(select_all(hosts, self.hosts), Destinations("uniform", tuple(select_all(hosts, receivers))))


PATTERNS.add("uniform", Uniform)
