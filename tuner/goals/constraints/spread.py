# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Contributors may not be treated more unequally: holds a search to fairness whose objectives do not ask for it."""

from tuner.goals.constraints.base import CONSTRAINTS, Constraint

SPREAD = Constraint(
    name="spread",
    metric="spread_gbps",
    unit="Gb/s",
    sense="at_most",
    meaning="the highest minus the lowest contributor throughput, mean over time",
    default_of="expert",
)

CONSTRAINTS.add(SPREAD.name, SPREAD)
