# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion control may not pay for the victim with the hotspot's own throughput."""

from tuner.goals.constraints.base import CONSTRAINTS, Constraint

CONTRIBUTOR_TOTAL = Constraint(
    name="contributor_total",
    metric="contributor_total_gbps",
    unit="Gb/s",
    sense="at_least",
    meaning="what the contributors receive together",
    default_of="baseline",
)

CONSTRAINTS.add(CONTRIBUTOR_TOTAL.name, CONTRIBUTOR_TOTAL)
