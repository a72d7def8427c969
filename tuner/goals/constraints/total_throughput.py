# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fabric as a whole may not carry less, whoever gains."""

from tuner.goals.constraints.base import CONSTRAINTS, Constraint

TOTAL_THROUGHPUT = Constraint(
    name="total_throughput",
    metric="total_throughput_gbps",
    unit="Gb/s",
    sense="at_least",
    meaning="what all flows receive together",
    default_of="baseline",
)

CONSTRAINTS.add(TOTAL_THROUGHPUT.name, TOTAL_THROUGHPUT)
