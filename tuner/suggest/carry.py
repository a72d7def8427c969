# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Carries a profile from one ground to another by the fair share, so that it keeps its balance and its room.

Marking_Rate, CCTI_Increase, Threshold and the table's shape stay as they are. CCTI_Timer goes with the time between two
notifications of a contributor at its fair share, and the table's delays with the pause that a fair share takes.
experiments/carry_over measures what that is worth.
"""

from collections.abc import Mapping
from typing import Any

from ccsim.policy import Profile
from tuner.errors import BadInputError
from tuner.search.field_path import value_of
from tuner.search.space import Space
from tuner.suggest import rule
from tuner.suggest.ground import Ground
from tuner.suggest.values import FULL_SCALES, LAST, SpaceValues, fitted, full_scale


def carried(profile: Profile, source: Ground, target: Ground, space: Space) -> SpaceValues:
    """Returns the values of a space that give a profile of `source` the same balance and room on `target`.

    Raises BadInputError if the profile has no table, or does not say for which link.
    """
    document, encoding = profile.to_dict(), profile.encode()
    if not encoding.entries or not encoding.packet_time_ns:
        raise BadInputError(f"profile '{profile.name}' has no table with a link; there is nothing to carry")
    delay = (encoding.entries[-1].ird_ns or 0.0) / encoding.packet_time_ns
    delay *= target.pause_packet_times / max(source.pause_packet_times, 1e-9)
    balance = rule.balance_of(profile, source.gap_ns, source.notifier)

    def wanted(path: str, current: Mapping[str, Any]) -> Any:
        if path == "ca.ccti_timer":
            between_ns = target.notifier.between_ns(target.gap_ns, int(current["switch"]["marking_rate"]) + 1)
            return rule.timer_units(between_ns, max(1, int(current["ca"]["ccti_increase"])), balance)
        if path in FULL_SCALES:
            return full_scale(path, delay, current, packet_ns=target.path.packet_ns)
        return delay if path == LAST else value_of(document, path)

    return fitted(space, wanted)
