# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Whatever else is improved, the victims keep what the published profile gives them."""

from tuner.goals.constraints.base import CONSTRAINTS, Constraint

VICTIM_THROUGHPUT = Constraint(
    name="victim_throughput",
    metric="victim_throughput_gbps",
    unit="Gb/s",
    sense="at_least",
    meaning="what a victim flow receives",
    default_of="expert",  # with CC off it receives next to nothing: a part of that holds nobody back
)

CONSTRAINTS.add(VICTIM_THROUGHPUT.name, VICTIM_THROUGHPUT)
