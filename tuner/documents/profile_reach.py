# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Number of contributors to one receiver that a profile can hold back.

Two things bound it (IBA release 1.4, annex A10: CCT, CCTI_Timer, CCTI_Increase):

- **The table.** A flow at the CCTI_Limit still sends a packet each packet time plus IRD. This holds whatever the devices do.
- **Recovery.** A CCTI rises by CCTI_Increase with each BECN, of which there is one a marked packet at most, and falls by one
  each CCTI_Timer. So it rises only while a flow's marked packets come closer than CCTI_Increase timers: below that rate
  it goes down again, whatever the table holds. How close they come is counted here for **one port that marks**, the root. Where
  links are no faster than the receiver, ports on the way there mark too; with a Marking_Rate above 0 a packet then has several
  chances, and recovery bounds less than it says here (experiments/carry_over has such a fabric).

Adapters that send fewer BECNs than packets are marked, or carry them on acknowledgements, reach less far.
"""

from dataclasses import dataclass

from ccsim.policy import TIMER_UNIT_NS, Profile


@dataclass(frozen=True, kw_only=True)
class Reach:
    """Contributors that send full packets to one receiver, and the rates behind."""

    receiver_gbps: float
    """Payload that a receiver can take."""
    rate_at_limit_gbps: float
    """Payload of one flow at the CCTI_Limit."""
    by_table: int
    """Contributors at that rate that the receiver can take."""
    by_recovery: int | None
    """Contributors whose CCTIs the BECNs of one port that marks can keep from falling; None: any number, as CCTI_Min is the
    table's end."""

    @property
    def contributors(self) -> int:
        return self.by_table if self.by_recovery is None else min(self.by_table, self.by_recovery)

    @property
    def sentence(self) -> str:
        """For people."""
        table = f"at the CCTI_Limit each still sends {self.rate_at_limit_gbps:.3g} Gb/s, and {self.by_table} of them fill it"
        recovery = (
            ""
            if self.by_recovery is None
            else f"; with more than {self.by_recovery} the CCTI_Timer lowers CCTIs faster than one port that marks can raise them"
        )
        receiver = f"one receiver of {self.receiver_gbps:.4g} Gb/s"
        return f"Holds back at most {self.contributors} contributors to {receiver}: {table}{recovery}."


def reach(profile: Profile, *, receiver_gbps: float | None = None) -> Reach | None:
    """The reach on the profile's own link, or with receivers that take `receiver_gbps` (payload, Gb/s) of it.

    None if the profile is off or has no table, or does not say which link it is for. Overrides are not looked at.
    """
    document, encoding = profile.to_dict(), profile.encode()
    if not profile.enable or not encoding.entries or encoding.packet_time_ns is None:
        return None
    packet_ns, packet_bits = encoding.packet_time_ns, document["link"]["mtu_bytes"] * 8
    receiver_gbps = receiver_gbps or packet_bits / packet_ns

    def gbps_at(index: int) -> float:
        return float(packet_bits / (packet_ns + (encoding.entries[index].ird_ns or 0.0)))

    ca, last = document["ca"], len(encoding.entries) - 1
    floor = min(ca["ccti_min"], last)
    by_recovery = None
    if floor < last:
        marks = 1 / (document["switch"]["marking_rate"] + 1)
        # Between two packets of a flow whose BECNs just make up for the timer.
        slowest_gap_ns = ca["ccti_timer"] * TIMER_UNIT_NS * ca["ccti_increase"] * marks
        by_recovery = max(_count(receiver_gbps, gbps_at(floor)), int(receiver_gbps * slowest_gap_ns / packet_bits))
    return Reach(
        receiver_gbps=receiver_gbps,
        rate_at_limit_gbps=gbps_at(-1),
        by_table=_count(receiver_gbps, gbps_at(-1)),
        by_recovery=by_recovery,
    )


def _count(receiver_gbps: float, each_gbps: float) -> int:
    return int(receiver_gbps / each_gbps + 1e-9)
