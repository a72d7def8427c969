# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Describes the way to one receiver: how often a contributor sends there at its fair share, and how long it pauses for that."""

from dataclasses import dataclass

from ccsim.policy import PACKET_OVERHEAD_BYTES

CREDIT_BLOCK_BYTES = 64
"""Unit in which buffers hold packets (IBA 7.9)."""


@dataclass(frozen=True, kw_only=True)
class Path:
    """Way from senders of one rate to receivers of one rate; all packets are full."""

    rate_gbps: float
    """Data rate of the links of the senders that have a CCT, after line encoding: its delays are times of their packets."""
    mtu_bytes: int
    receive_gbps: float
    """Payload that the receiver takes."""
    fastest_gbps: float | None = None
    """Data rate of the fastest sender's link, which may run DCQCN; None if that is `rate_gbps`."""

    @property
    def alone_gbps(self) -> float:
        """Data rate at which a sender that is alone can send."""
        return self.rate_gbps if self.fastest_gbps is None else self.fastest_gbps

    @property
    def packet_ns(self) -> float:
        """Time of a packet on a sender's link."""
        return (self.mtu_bytes + PACKET_OVERHEAD_BYTES) * 8 / self.rate_gbps

    @property
    def packet_bytes(self) -> int:
        """Room that a packet takes in a buffer."""
        return -(-(self.mtu_bytes + PACKET_OVERHEAD_BYTES) // CREDIT_BLOCK_BYTES) * CREDIT_BLOCK_BYTES

    def gap_ns(self, contributors: float) -> float:
        """Returns the time between two packets of one of `contributors` that gets its fair share."""
        return contributors * self.mtu_bytes * 8 / self.receive_gbps

    def pause_packet_times(self, contributors: float) -> float:
        """Returns the delay that holds one of `contributors` at its fair share, in packet times; 0 if it needs none."""
        return max(0.0, self.gap_ns(contributors) / self.packet_ns - 1.0)
