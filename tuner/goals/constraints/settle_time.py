# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A new contributor may not unsettle the others for longer than somebody can bear."""

from tuner.goals.constraints.base import CONSTRAINTS, Constraint
from tuner.goals.objectives.settle_time import SETTLE_TIME as OBJECTIVE

SETTLE_TIME = Constraint(
    name="settle_time",
    metric=OBJECTIVE.metric,
    unit=OBJECTIVE.unit,
    sense="at_most",
    meaning="the time until all contributors have their fair share after one of them starts",
    default_of="value",
    when_null=OBJECTIVE.when_null,
)

CONSTRAINTS.add(SETTLE_TIME.name, SETTLE_TIME)
