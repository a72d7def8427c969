# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Models the queue at the hotspot: the Threshold above what chance queues, and the cost where chance reaches it."""

import math
from dataclasses import dataclass

import ccsim

LEAST_PACKETS = 8
"""Packets that Threshold 15 stands for with the packets that devices were calibrated with (docs/research/calibration.md)."""
LATEST = 8
"""Threshold below which no suggestion goes: half of the buffer that it is a part of."""


@dataclass(frozen=True, kw_only=True)
class Queue:
    """A switch's port towards the receiver."""

    reference_bytes: float
    """Fill level that 16/16 stands for in Threshold, which stands for (16 - Threshold)/16 of it."""

    @classmethod
    def of(cls, model: ccsim.Model) -> "Queue":
        return cls(reference_bytes=model.switch.threshold_reference_bytes or model.switch.input_buffer_bytes)

    def packets(self, threshold: int, packet_bytes: int) -> float:
        """Returns the packets that make a port congested; at least 1."""
        return max(1.0, (16 - threshold) / 16 * self.reference_bytes / packet_bytes)

    def threshold(self, contributors: float, packet_bytes: int) -> int:
        """Returns the earliest Threshold that is no earlier than LEAST_PACKETS, nor than the queue that n contributors make by
        chance alone: n flows that send in turn, at times of their own, queue some sqrt(n) packets at a full link (the mean of
        n periodic flows at full load is sqrt(pi n / 8))."""
        wanted = max(LEAST_PACKETS, math.sqrt(contributors)) * packet_bytes
        return max(LATEST, min(15, 16 - math.ceil(wanted / self.reference_bytes * 16 - 1e-9)))


def chance_cost(packets: float, contributors: float, congested_share: float) -> float:
    """Returns the share of its throughput that a hotspot may lose as chance queues hold its contributors back, 0 to 1.

    A CCTI stays where it is if `congested_share` of packets meet a congested port. Packets that come at random, at a load of 1
    less the cost, find more than x = `packets` queued with a probability of exp(-2 x cost / v) (heavy traffic: Kingman, 1961).
    There v is the variance of what comes, in packets a packet time: 1 if it comes at random, and 1 - x / n while x packets come
    of n contributors that send in turn. Solved for the load at which chance alone congests the port for that share.
    """
    if congested_share >= 1 or contributors <= packets:
        return 0.0
    return min(1.0, -math.log(congested_share) * (1 - packets / contributors) / (2 * packets))
