# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs: the first source sends to the first destination, the second to the second, and so on."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.flow import HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all
from tuner.documents.patterns.open_loop import OpenLoop


class Pairs(OpenLoop):
    """One flow for each source and the destination at the same position."""

    examples = ({"sources": ["H?"], "destinations": ["H1?"], "load": 0.8},)

    kind: Literal["pairs"]
    role: Role = "victim"
    sources: ListOf[HostReference]
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""
    destinations: ListOf[HostReference]
    """As `sources`; what the longer of the two lists has over is not used. A host is never paired with itself."""

    def ends(self, hosts: HostSelector) -> Ends:
        pairs = zip(select_all(hosts, self.sources), select_all(hosts, self.destinations), strict=False)
        return [(source, destination) for source, destination in pairs if source != destination]


PATTERNS.add("pairs", Pairs)
