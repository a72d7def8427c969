# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two numbers without a unit that say how a profile suits a fabric.

- **Balance**: by how much notifications raise a contributor's CCTI at its fair share while CCTI_Timer takes one step back. Below
  1 the CCTI falls until the contributor sends more than its share, whatever the table holds.
- **Room**: the number of contributors that the end of the table can hold back, as a multiple of those that there are. Below 1
  the hotspot stays congested.

Both are those of tuner.documents.profile_reach by contributor, but for one thing: adapters that space their CNPs send fewer of
them than packets are marked.
"""

import math
from collections.abc import Mapping
from typing import Any

from ccsim.policy import TIMER_UNIT_NS, Profile
from experiments.carry_over.beds import Ground
from tuner.documents.profile_reach import reach


def notification_ns(gap_ns: float, spacing_ns: float, marking_rate: int) -> float:
    """Returns the time between two notifications of a contributor, if one port on its way marks: after each, its packets pass
    until the receiver may send the next CNP, and then as many more as it takes until one is marked.

    `gap_ns`: between two of its packets. `spacing_ns`: between two CNPs to it, at least.
    """
    return (math.floor(spacing_ns / gap_ns) + marking_rate + 1) * gap_ns


def balance(profile: Profile, ground: Ground) -> float:
    document: Mapping[str, Any] = profile.to_dict()
    ca, marking_rate = document["ca"], document["switch"]["marking_rate"]
    between = notification_ns(ground.gap_ns, ground.cnp_spacing_ns, marking_rate)
    return float(ca["ccti_timer"] * TIMER_UNIT_NS * ca["ccti_increase"] / between)


def room(profile: Profile, ground: Ground) -> float:
    """`profile` must have a table and a link."""
    bound = reach(profile, receiver_gbps=ground.receive_gbps)
    assert bound is not None
    return bound.receiver_gbps / bound.rate_at_limit_gbps / ground.contributors
