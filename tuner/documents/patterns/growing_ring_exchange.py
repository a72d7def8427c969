# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ring exchange with growing messages: the natural ring of the effective bandwidth benchmark, b_eff."""

from typing import Annotated, Literal

from pydantic import model_validator

from tuner.document_base.model import ListOf, Within
from tuner.documents.expanded_flow import ClosedLoop as Loop
from tuner.documents.expanded_flow import ExpandedFlow, make_flow
from tuner.documents.flow import HostReference
from tuner.documents.patterns.base import PATTERNS, HostSelector, select_all
from tuner.documents.patterns.closed_loop import ClosedLoop
from tuner.errors import BadInputError


class GrowingRingExchange(ClosedLoop):
    """Every host exchanges a message with both neighbours in a ring, and goes on to the next size when both of theirs have
    arrived: `smallest_bytes`, then `growth` times as much, and so on up to `message_bytes`, and begins again. Flows NAME-right-1
    and NAME-left-1 are a host's first size, NAME-right-2 its second. A round trip of its flows is the time of all sizes."""

    examples = (
        {"hosts": ["H[1-6]"], "message_bytes": 16384, "growth": 4},
        {"hosts": ["H[1-3]"], "message_bytes": 5000, "smallest_bytes": 100, "think_us": 1.0},
    )

    kind: Literal["growing-ring-exchange"]
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, in the order of the ring."""
    smallest_bytes: Annotated[int, Within(1, 2**31)] = 1
    """Size of the first message; `message_bytes` is that of the last."""
    growth: Annotated[int, Within(2, 2**16)] = 2
    """Factor from one size to the next. The last step is smaller where it does not lead to `message_bytes`."""

    @property
    def sizes(self) -> list[int]:
        """Sizes of a host's messages to one neighbour in bytes, ascending."""
        sizes, size = [], self.smallest_bytes
        while size < self.message_bytes:
            sizes.append(size)
            size *= self.growth
        return [*sizes, self.message_bytes]

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        ring = select_all(hosts, self.hosts)
        n, sizes = len(ring), self.sizes
        if n < 2:
            raise BadInputError(f"pattern '{self.name}' finds {n} host on this fabric; a ring needs two at least")
        flows = []
        for i in range(n):
            for place, size in enumerate(sizes):
                following = (place + 1) % len(sizes)
                for way, j in (("right", (i + 1) % n), ("left", (i - 1) % n)):
                    # A flow for each size: a neighbour that is ahead cannot stand for the other one.
                    grants = tuple(self._flow_name(to, j, following) for to in ("right", "left"))
                    loop = Loop(1 if place == 0 else 0, grants, self.think_us, needs=2)
                    name = self._flow_name(way, i, place)
                    flows.append(
                        make_flow(self, name=name, src=ring[i], dst=ring[j], role=self.role, loop=loop, message_bytes=size)
                    )
        return flows

    def _flow_name(self, way: str, member: int, place: int) -> str:
        """Name of a host's flow in a direction; `member` and `place`, the size's, from 0."""
        return f"{self.name}-{way}-{member * len(self.sizes) + place + 1}"

    @model_validator(mode="after")
    def _grows(self) -> "GrowingRingExchange":
        if self.smallest_bytes >= self.message_bytes:
            raise ValueError(
                f"has smallest_bytes {self.smallest_bytes} and message_bytes {self.message_bytes}; "
                "the smallest message must be smaller than the last"
            )
        return self


PATTERNS.add("growing-ring-exchange", GrowingRingExchange)
