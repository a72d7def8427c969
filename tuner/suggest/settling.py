# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forecasts how long contributors need to settle under any profile, from balance and table; nothing is measured."""

from bisect import bisect_left

from ccsim.policy import TIMER_UNIT_NS, Profile
from tuner.suggest.ground import Ground
from tuner.suggest.rule import rise_ns, room_of


def settles_s(profile: Profile, ground: Ground) -> float | None:
    """Returns the time in seconds that contributors who start together at this hotspot need until they are at their fair share.

    CCTIs rise to the entry that holds contributors there. Full buffers on the way raise them beyond it at first, at most to the
    CCTI_Limit, from which they fall by one each CCTI_Timer. Where contributors start one after the other it takes less.

    None if the profile never gets them there, or for want of one of annex A10's sections, of a table, or of the profile's link.
    """
    document, entries = profile.to_dict(), profile.encode().entries
    if not profile.enable or not entries or not {"ca", "switch", "link"} <= document.keys() or "nvidia" in document:
        return None
    if room_of(profile, ground.path.receive_gbps, ground.contributors) < 1:
        return None
    ca = document["ca"]
    steps = bisect_left([entry.ird_ns or 0.0 for entry in entries], ground.pause_packet_times * ground.path.packet_ns)
    timer_ns = ca["ccti_timer"] * TIMER_UNIT_NS
    slowest_ns = ground.notifier.slowest_ns(ground.gap_ns, document["switch"]["marking_rate"] + 1)
    rises_ns = rise_ns(steps, ca["ccti_increase"], slowest_ns, timer_ns * ca["ccti_increase"])
    settles_ns = rises_ns + max(0, document["cct"]["ccti_limit"] - steps) * timer_ns
    return None if settles_ns == float("inf") else settles_ns * 1e-9
