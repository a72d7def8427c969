# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ping-pong: two hosts return one message to each other, as latency is measured."""

from typing import Literal

from tuner.document_base.model import ListOf
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.errors import BadInputError


class PingPong(ClosedLoop):
    """Two flows for each pair, NAME-request-1 and NAME-answer-1, of which one message is on the way at any time."""

    examples = ({"sources": ["H1", "H2"], "destinations": ["H3", "H4"], "message_bytes": 4096},)

    kind: Literal["ping-pong"]
    sources: ListOf[HostReference]
    """First senders: hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""
    destinations: ListOf[HostReference]
    """As `sources`; the first source plays with the first destination, and so on. What one list has over is not used."""

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        both = zip(select_all(hosts, self.sources), select_all(hosts, self.destinations), strict=False)
        pairs = [(one, other) for one, other in both if one != other]
        if not pairs:
            raise BadInputError(f"pattern '{self.name}' finds no two hosts to pair on this fabric; it needs at least one pair")
        return [
            flow
            for i, (first, second) in enumerate(pairs)
            for flow in self.exchange(i, first, second, window=1, answer_bytes=self.message_bytes)
        ]


PATTERNS.add("ping-pong", PingPong)
