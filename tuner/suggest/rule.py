# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule of balance and room: which CCTI_Timer and which table hold back n contributors to one receiver.

- **Balance**: by how much notifications raise a contributor's CCTI at its fair share while CCTI_Timer takes one step back. Below
  1 the CCTI falls until the contributor sends more than its share, whatever the table holds.
- **Room**: the number of contributors that the end of the table can hold back, as a multiple of those that there are. Below 1
  the hotspot stays congested.

docs/carrying-over.md derives both, and experiments/carry_over measures their bounds.
"""

import math
from dataclasses import dataclass

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES, TIMER_UNIT_NS, Profile
from tuner.documents.profile_reach import reach

BALANCE, ROOM = 2.0, 4.0
"""Balance that the rule gives a profile, and full scale of its table in pauses of a fair share."""
AT_INDEX, EXPONENT, CCTI_LIMIT = 106, 2.0, 127
"""Shape of the table (Gran et al., IPDPS 2010, section VII-B)."""
MOST_TIMER, MOST_PACKET_TIMES = 65535, 16383
"""CCTI_Timer has 16 bits; the multiplier of a CCT entry has 14 (IBA release 1.4, annex A10)."""


@dataclass(frozen=True, kw_only=True)
class Link:
    """The way into one receiver."""

    rate_gbps: float
    """Data rate of the receiver's link, after line encoding."""
    mtu_bytes: int
    receive_gbps: float
    """Payload that the receiver takes, at most what the link carries."""

    @property
    def packet_ns(self) -> float:
        """Time of a full packet on the link."""
        return (self.mtu_bytes + PACKET_OVERHEAD_BYTES) * 8 / self.rate_gbps

    def gap_ns(self, contributors: float) -> float:
        """Returns the time between two packets of one of `contributors` that gets its fair share."""
        return contributors * self.mtu_bytes * 8 / self.receive_gbps

    def pause_packet_times(self, contributors: float) -> float:
        """Returns the delay that holds one of `contributors` at its fair share, in packet times; 0 if it needs none."""
        return max(0.0, self.gap_ns(contributors) / self.packet_ns - 1.0)


@dataclass(frozen=True, kw_only=True)
class Notifier:
    """How receivers notify: what the specification leaves to the designers of adapters, see docs/simulator.md."""

    carrier: str = "cnp"
    """`cnp` or `ack`."""
    spacing_ns: float = 0.0
    """Time between two CNPs to one queue pair, at least."""
    ack_every_packets: int = 1
    """Packets to an acknowledgement; counts only where acknowledgements carry BECNs."""

    @classmethod
    def of(cls, model: ccsim.Model) -> "Notifier":
        return cls(
            carrier=str(model.ca.becn_carrier),
            spacing_ns=model.ca.cnp_spacing_ns,
            ack_every_packets=model.ca.ack_every_packets,
        )

    def between_ns(self, gap_ns: float, marking_rate: int = 0) -> float:
        """Returns the time between two notifications of a contributor, if one port on its way marks and its packets are `gap_ns`
        apart: after a CNP, packets pass until the receiver may send the next one, and then as many more as it takes until one is
        marked. An acknowledgement comes once in `ack_every_packets`, marked packets or not."""
        if self.carrier == "ack":
            return max(self.ack_every_packets, marking_rate + 1) * gap_ns
        return (math.floor(self.spacing_ns / gap_ns) + marking_rate + 1) * gap_ns


def timer_units(between_ns: float, increase: int = 1, balance: float = BALANCE) -> int:
    """Returns the CCTI_Timer of a balance, in units of 1.024 us, within what its field holds."""
    return min(MOST_TIMER, max(1, round(balance * between_ns / (TIMER_UNIT_NS * increase))))


def full_scale_packet_times(pause_packet_times: float, room: float = ROOM) -> float:
    """Returns the delay at AT_INDEX, in packet times, such that the last entry still fits its field."""
    most: float = MOST_PACKET_TIMES / (CCTI_LIMIT / AT_INDEX) ** EXPONENT
    return min(most, max(1.0, room * pause_packet_times))


def balance_of(profile: Profile, gap_ns: float, notifier: Notifier) -> float:
    """Returns a profile's balance for contributors whose packets are `gap_ns` apart at their fair share."""
    document = profile.to_dict()
    ca, marking_rate = document["ca"], document["switch"]["marking_rate"]
    return float(ca["ccti_timer"] * TIMER_UNIT_NS * ca["ccti_increase"] / notifier.between_ns(gap_ns, marking_rate))


def room_of(profile: Profile, receive_gbps: float, contributors: float) -> float:
    """Returns a profile's room for `contributors` to a receiver. The profile must have a table and a link."""
    bound = reach(profile, receiver_gbps=receive_gbps)
    assert bound is not None
    return bound.receiver_gbps / bound.rate_at_limit_gbps / contributors
