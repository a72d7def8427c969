# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Incast: many hosts send to one, whose link becomes the root of a congestion tree."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all, select_one
from tuner.documents.patterns.open_loop import OpenLoop


class Incast(OpenLoop):
    """Every source sends to the destination."""

    examples = ({"sources": ["H*"], "destination": "H5", "rate_gbps": 0.5},)

    kind: Literal["incast"]
    role: Role = "contributor"
    sources: ListOf[HostReference]
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions; the destination itself is left out."""
    destination: HostReference

    def ends(self, hosts: HostSelector) -> Ends:
        destination = select_one(hosts, self.destination)
        return [(source, destination) for source in select_all(hosts, self.sources) if source != destination]


PATTERNS.add("incast", Incast)
