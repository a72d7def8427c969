# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Room of a profile as a run shows it: how many times less the table can let a contributor send than it did."""

from collections import defaultdict
from dataclasses import replace

from ccsim.policy import Profile
from tuner.documents.profile_reach import reach
from tuner.measuring.measurement import Measurement


def with_room(measurement: Measurement, profile: Profile) -> Measurement:
    """Returns the measurement with `room` among its metrics, made under `profile`."""
    return replace(measurement, metrics=replace(measurement.metrics, room=room_of(measurement, profile)))


def room_of(measurement: Measurement, profile: Profile) -> float | None:
    """Returns a contributor's throughput, as the mean of those to one receiver, in parts of what it sends at the CCTI_Limit; of
    the receiver where that is least. With twice as many contributors as the run had, a room of 2 is just enough.

    0 with congestion control off. None without contributors, and where the profile has no table of annex A10 or does not say
    which link that is for. Overrides are not looked at, and senders are taken to have the profile's link.
    """
    by_receiver: dict[str, list[float]] = defaultdict(list)
    for flow in measurement.flows:
        if flow.role == "contributor":
            by_receiver[flow.dst].append(flow.mean_gbps)
    if not by_receiver:
        return None
    if not profile.enable:
        return 0.0
    reached = reach(profile)
    if reached is None:
        return None
    return min(sum(rates) / len(rates) for rates in by_receiver.values()) / reached.rate_at_limit_gbps
