# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Congestion control may not pay for the victim with the hotspot's own throughput."""

from tuner.constraints.base import CONSTRAINTS, Constraint

CONTRIBUTOR_TOTAL = Constraint(
    name="contributor_total",
    metric="contributor_total_gbps",
    unit="Gb/s",
    meaning="the contributors together keep at least this fraction of what they get with CC off",
    default_fraction=0.98,
)

CONSTRAINTS.add(CONTRIBUTOR_TOTAL.name, CONTRIBUTOR_TOTAL)
