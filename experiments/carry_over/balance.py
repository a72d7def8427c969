# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Balance and room of a profile on one of the experiment's fabrics, by the rule in tuner.suggest."""

from ccsim.policy import Profile
from experiments.carry_over.beds import Ground
from tuner.suggest.notifier import Notifier
from tuner.suggest.rule import balance_of, room_of


def notification_ns(gap_ns: float, spacing_ns: float, marking_rate: int) -> float:
    """Returns the time between two notifications of a contributor, if one port on its way marks.

    `gap_ns`: between two of its packets. `spacing_ns`: between two CNPs to it, at least.
    """
    return Notifier(spacing_ns=spacing_ns).between_ns(gap_ns, marking_rate + 1)


def balance(profile: Profile, ground: Ground) -> float:
    return balance_of(profile, ground.gap_ns, Notifier(spacing_ns=ground.cnp_spacing_ns))


def room(profile: Profile, ground: Ground) -> float:
    """`profile` must have a table and a link."""
    return room_of(profile, ground.receive_gbps, ground.contributors)
