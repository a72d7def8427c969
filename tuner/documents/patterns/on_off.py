# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""On-off: bursts and pauses in turn."""

from typing import Annotated, Any, Literal

from tuner.document_base.model import ListOf, Within
from tuner.documents.expanded_flow import Bursts, Destinations
from tuner.documents.flow import MAX_TIME_S, HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, select_all, to_any_of
from tuner.documents.patterns.open_loop import OpenLoop


class OnOff(OpenLoop):
    """One flow for each source. While it is on, it sends at `rate_gbps` or `load`, or as fast as it can; while it is off, it
    begins no message. What it could not send in a burst is not made up for in a pause."""

    examples = (
        {"on_s": 40e-6, "off_s": 60e-6, "load": 0.6, "message_bytes": 2048},
        {"hosts": ["H?"], "destinations": ["H1?"], "on_s": 20e-6, "off_s": 20e-6, "lengths": "exponential", "load": 0.4,
         "message_bytes": 2048},
    )  # fmt: skip

    kind: Literal["on-off"]
    role: Role = "other"
    hosts: ListOf[HostReference] = ("*",)
    """Senders: hosts, or patterns of `*`, `?` and `[…]` over node descriptions."""
    destinations: ListOf[HostReference] | None = None
    """Receivers, as `hosts`; without it, the same hosts. Each message goes to one of them at random."""
    on_s: Annotated[float, Within(1e-9, MAX_TIME_S)]
    """Length of a burst."""
    off_s: Annotated[float, Within(1e-9, MAX_TIME_S)]
    """Length of a pause."""
    lengths: Literal["fixed", "exponential"] = "fixed"
    """`exponential`: drawn by the run's seed, with `on_s` and `off_s` as their means; flows are not in step then."""

    def ends(self, hosts: HostSelector) -> Ends:
        receivers = self.hosts if self.destinations is None else self.destinations
        return to_any_of(select_all(hosts, self.hosts), Destinations("uniform", tuple(select_all(hosts, receivers))))

    def extras(self) -> dict[str, Any]:
        return {"bursts": Bursts(self.on_s, self.off_s, self.lengths == "exponential")}


PATTERNS.add("on-off", OnOff)
