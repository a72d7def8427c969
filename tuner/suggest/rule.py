# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule of balance and room: which Threshold, CCTI_Timer and table hold back n contributors to one receiver.

- **Balance**: by how much notifications raise a contributor's CCTI at its fair share while CCTI_Timer takes one step back. Below
  1 the CCTI falls until the contributor sends more than its share, whatever the table holds.
- **Room**: the number of contributors that the end of the table can hold back, as a multiple of those that there are. Below 1
  the hotspot stays congested.

docs/use/carrying-over.md derives the rule, and experiments/carry_over measures its bounds.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ccsim.policy import TIMER_UNIT_NS, Profile
from tuner.documents.profile_reach import reach
from tuner.suggest.notifier import Notifier
from tuner.suggest.path import Path
from tuner.suggest.queue import Queue, chance_cost

BALANCE, UNEVEN_BALANCE, ROOM = 1.5, 2.0, 4.0
"""Balance that the rule aims at; the same where routes merge unevenly, as on a torus, so that some contributors send less than a
fair share, and are notified less, until others have been held back; and full scale of the table in pauses of a fair share."""
INCREASE = 2
"""CCTI_Increase. Marking_Rate is at least one less, so that contributors move by one step at most while each sends a packet."""
AT_INDEX, EXPONENT, CCTI_LIMIT = 106, 2.0, 127
"""Shape of the table (Gran et al., IPDPS 2010, section VII-B)."""
MOST_TIMER, MOST_PACKET_TIMES = 65535, 16383
"""CCTI_Timer has 16 bits; the multiplier of a CCT entry has 14 (IBA release 1.4, annex A10)."""
LEAST_TIMER, TOLERATED = 2, 0.15
"""CCTI_Timer comes in whole units: the rule looks for one of at least that many, and a balance no farther off than that."""
MOST_BALANCE = 4.0
"""Balance with the fastest of several notifiers above which contributors recover too slowly, if a Marking_Rate can prevent it."""
CHANCE_COST = 0.08
"""Share of the hotspot's throughput that chance queues may cost by `chance_cost`, if a Marking_Rate can prevent more."""
MOST_MARK_EVERY = 256


@dataclass(frozen=True, kw_only=True)
class Values:
    """Values that the rule decides."""

    threshold: int
    marking_rate: int
    ccti_timer: int
    ccti_increase: int
    full_scale_packet_times: float
    """Delay at AT_INDEX."""

    @property
    def mark_every(self) -> int:
        return self.marking_rate + 1

    @property
    def holds_ns(self) -> float:
        """Time between notifications at which a CCTI neither rises nor falls."""
        return self.ccti_timer * TIMER_UNIT_NS * self.ccti_increase


def choose(
    path: Path,
    contributors: float,
    notifiers: Sequence[Notifier],
    queue: Queue,
    *,
    balance: float = BALANCE,
    threshold: int | None = None,
    increase: int = INCREASE,
    mark_every: Iterable[int] | None = None,
) -> Values:
    """Returns the values for n contributors, whichever of `notifiers` their receivers are.

    CCTI_Timer follows from the slowest of them. Marking_Rate is the lowest with which CCTI_Timer comes out near the balance
    aimed at, with which the fastest of them does not come too far above that, and chance queues cost little with each; if there
    is none, the one that comes nearest.
    `threshold`, `increase` and `mark_every` (Marking_Rate + 1, not empty) are for callers who are not free to choose them.
    """
    gap_ns = path.gap_ns(contributors)
    threshold = queue.threshold(contributors, path.packet_bytes) if threshold is None else threshold
    packets = queue.packets(threshold, path.packet_bytes)
    full_scale = full_scale_packet_times(path.pause_packet_times(contributors))
    found: list[tuple[float, Values]] = []
    for every in mark_every or _mark_every(increase):
        slowest_ns = max(notifier.slowest_ns(gap_ns, every) for notifier in notifiers)
        values = Values(
            threshold=threshold,
            marking_rate=every - 1,
            ccti_timer=timer_units(slowest_ns, increase, balance),
            ccti_increase=increase,
            full_scale_packet_times=full_scale,
        )
        off = abs(values.holds_ns / slowest_ns / balance - 1) - TOLERATED
        cost = max(cost_of(values, path, contributors, notifier, packets) for notifier in notifiers) - CHANCE_COST
        most = max(values.holds_ns / notifier.between_ns(gap_ns, every) for notifier in notifiers) / MOST_BALANCE - 1
        wrong = sum(max(0.0, one) for one in (off, cost, most, LEAST_TIMER - values.ccti_timer, increase - every))
        if wrong == 0:
            return values
        found.append((wrong, values))
    return min(found, key=lambda one: one[0])[1]


def _mark_every(increase: int) -> Iterator[int]:
    every = max(1, increase)
    while every <= max(MOST_MARK_EVERY, increase):
        yield every
        every += max(1, every // 8)


def balance_for(routing: str) -> float:
    """Returns the balance that suits a routing: dimension order is that of tori and meshes."""
    return UNEVEN_BALANCE if routing == "dor" else BALANCE


def timer_units(between_ns: float, increase: int = 1, balance: float = BALANCE) -> int:
    """Returns the CCTI_Timer of a balance, in units of 1.024 us, within what its field holds."""
    return min(MOST_TIMER, max(1, round(balance * between_ns / (TIMER_UNIT_NS * increase))))


def full_scale_packet_times(pause_packet_times: float, room: float = ROOM) -> float:
    """Returns the delay at AT_INDEX, in packet times, such that the last entry still fits its field."""
    most: float = MOST_PACKET_TIMES / (CCTI_LIMIT / AT_INDEX) ** EXPONENT
    return min(most, max(1.0, room * pause_packet_times))


def cost_of(values: Values, path: Path, contributors: float, notifier: Notifier, packets: float) -> float:
    """Returns what chance queues cost a hotspot under these values, as a share of its throughput. `packets`: that its port holds
    when it becomes congested."""
    share = notifier.congested_share(path.gap_ns(contributors), values.mark_every, values.holds_ns)
    return chance_cost(packets, contributors, share)


def balance_of(profile: Profile, gap_ns: float, notifier: Notifier) -> float:
    """Returns a profile's balance for contributors whose packets are `gap_ns` apart at their fair share."""
    document = profile.to_dict()
    ca, mark_every = document["ca"], document["switch"]["marking_rate"] + 1
    return float(ca["ccti_timer"] * TIMER_UNIT_NS * ca["ccti_increase"] / notifier.between_ns(gap_ns, mark_every))


def rise_ns(steps: float, increase: int, slowest_ns: float, holds_ns: float) -> float:
    """Returns the time until notifications that come each `slowest_ns` have raised a CCTI by `steps`, infinite where it falls
    back as fast. `holds_ns`: the time between notifications at which it neither rises nor falls."""
    return math.inf if holds_ns <= slowest_ns else steps / increase * slowest_ns / (1 - slowest_ns / holds_ns)


def room_of(profile: Profile, receive_gbps: float, contributors: float) -> float:
    """Returns a profile's room for `contributors` to a receiver. The profile must have a table and a link."""
    bound = reach(profile, receiver_gbps=receive_gbps)
    assert bound is not None
    return bound.receiver_gbps / bound.rate_at_limit_gbps / contributors
