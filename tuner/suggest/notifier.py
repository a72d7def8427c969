# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Models how often receivers notify a contributor, which the specification leaves to the designers of adapters."""

import math
from dataclasses import dataclass
from typing import Literal

import ccsim


@dataclass(frozen=True, kw_only=True)
class Notifier:
    """Way in which an adapter sends BECNs, as docs/research/simulator.md has it. A switch marks one packet in `mark_every` of
    those that leave a port in the congestion state, which is Marking_Rate + 1."""

    carrier: Literal["cnp", "ack"] = "cnp"
    spacing_ns: float = 0.0
    """Time between two CNPs to one queue pair, at least."""
    ack_every_packets: int = 1
    """Packets to an acknowledgement. Counts only where acknowledgements carry BECNs, as the spacing only
    where CNPs do."""
    delay_ns: float = 500.0
    """Time from the arrival of a marked packet until its CNP or acknowledgement is ready."""

    @classmethod
    def of(cls, model: ccsim.Model) -> "Notifier":
        if model.ca.becn_carrier == "ack":
            return cls(carrier="ack", ack_every_packets=model.ca.ack_every_packets, delay_ns=model.ca.becn_delay_ns)
        return cls(spacing_ns=model.ca.cnp_spacing_ns, delay_ns=model.ca.becn_delay_ns)

    def between_ns(self, gap_ns: float, mark_every: int) -> float:
        """Returns the mean time between two notifications of a contributor whose packets are `gap_ns` apart, while the port is
        in the congestion state. After a CNP packets pass until the next is allowed, and then those before a mark. An
        acknowledgement notifies if one of its packets was marked."""
        if self.carrier == "ack":
            some_marked = 1 - (1 - 1 / mark_every) ** self.ack_every_packets
            return self.ack_every_packets * gap_ns / some_marked
        return (math.floor(self.spacing_ns / gap_ns) + mark_every) * gap_ns

    def slowest_ns(self, gap_ns: float, mark_every: int) -> float:
        """Returns the longest such time of all contributors that send at their fair share or faster.

        With spaced CNPs that need not be one at its fair share: where two packets just fit between two CNPs, the second of them
        waits for nearly a whole spacing.
        """
        at_share = self.between_ns(gap_ns, mark_every)
        if self.carrier == "ack" or self.spacing_ns == 0:
            return at_share
        fit = math.ceil(self.spacing_ns / gap_ns)  # gaps that fit exactly, for the next faster contributor of whom that holds
        return max(at_share, self.spacing_ns + mark_every * self.spacing_ns / fit)

    def congested_share(self, gap_ns: float, mark_every: int, wanted_ns: float) -> float:
        """Returns the share of packets that must meet a port in the congestion state for a notification each `wanted_ns`; 1 if
        all of them do not suffice."""
        if self.carrier == "ack":
            some_marked = self.ack_every_packets * gap_ns / wanted_ns
            return 1.0 if some_marked >= 1 else min(1.0, mark_every * (1 - (1 - some_marked) ** (1 / self.ack_every_packets)))
        left_ns = wanted_ns - math.floor(self.spacing_ns / gap_ns) * gap_ns
        return 1.0 if left_ns <= mark_every * gap_ns else mark_every * gap_ns / left_ns
