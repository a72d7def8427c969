# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Small messages may not wait longer than a service can bear."""

from tuner.goals.constraints.base import CONSTRAINTS, Constraint

TAIL_LATENCY = Constraint(
    name="tail_latency",
    metric="round_trip_p99_us",
    unit="µs",
    sense="at_most",
    meaning="the 99th percentile of the round trips",
    default_of="value",
)

CONSTRAINTS.add(TAIL_LATENCY.name, TAIL_LATENCY)
