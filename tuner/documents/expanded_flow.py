# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Flows that patterns expand to: they can do more than a document's `flows` can say. A fabric of many hosts has many of them, so
they are put together without the checks of documents; the pattern that makes them has been checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tuner.documents.flow import Flow, Traffic


@dataclass(frozen=True, eq=False)
class Destinations:
    """Destinations of the messages of a flow that has several. One object serves all flows that share it; compared by identity,
    as it may hold thousands of hosts."""

    order: Literal["uniform", "cyclic", "moving"]
    """`uniform`: drawn anew for each message. `cyclic`: one after the other, beginning behind the source's own place.
    `moving`: all to one host, until the next takes its place."""
    hosts: tuple[str, ...]
    """References; a flow passes its own source over."""
    period_s: float = 0.0
    """For `moving`: how long each host is the destination, counted from the flow's start."""

    def describe(self) -> str:
        """Returns the destination as measurements write it."""
        if self.order == "moving":
            return f"moving({len(self.hosts)} places, {self.period_s:g} s each)"
        return f"{self.order}({len(self.hosts)} hosts)"


@dataclass(frozen=True, eq=False)
class Generator:
    """Generator of the messages of several flows of one host. Each message belongs to one of the flows, by chance in proportion
    to their rates. Generators are compared by identity."""

    queue_messages: int | None
    """Messages that a destination's queue holds: the generator draws message after message, and waits while the queue of the
    destination drawn is full. None: what holds back one flow never holds back another."""


@dataclass(frozen=True)
class Bursts:
    """A flow that is on and off in turn, on at first; what it could have sent while it is off is lost."""

    on_s: float
    off_s: float
    random: bool = False
    """The lengths are drawn from exponential distributions of these means, not fixed."""


@dataclass(frozen=True)
class ClosedLoop:
    """A flow that begins a message only against a permit."""

    window: int
    """Permits at the start."""
    grants: tuple[str, ...]
    """Names of the flows that get a permit for each message of this one that is delivered."""
    think_us: float = 0.0
    """Time from the delivery to the permit."""
    needs: int = 1
    """Deliveries that make one permit of this flow: who waits for several others begins when the last of them has come."""


class ExpandedFlow(Flow):
    """`dst` is a host's reference, or with `destinations` their description."""

    destinations: Destinations | None = None
    bursts: Bursts | None = None
    loop: ClosedLoop | None = None
    generator: Generator | None = None
    messages: Sequence[tuple[float, int]] | None = None
    """Exactly these instead of an endless stream: (handed over at second, bytes), ascending."""

    @property
    def hosts(self) -> tuple[str, ...]:
        """All hosts that its messages may go to; its own source may be among them, and is passed over."""
        return (self.dst,) if self.destinations is None else self.destinations.hosts


def make_flow(traffic: Traffic, *, name: str, src: str, dst: "str | Destinations", **changes: Any) -> ExpandedFlow:
    """A flow with what `traffic` says, except for `changes`. Not checked."""
    values = {key: getattr(traffic, key) for key in Traffic.model_fields}
    if isinstance(dst, Destinations):
        values |= {"dst": dst.describe(), "destinations": dst}
    else:
        values["dst"] = dst
    return ExpandedFlow.model_construct(name=name, src=src, **(values | changes))
