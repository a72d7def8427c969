# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How long a new contributor unsettles the others."""

from tuner.objectives.base import OBJECTIVES, Objective

SETTLE_TIME = Objective(
    name="settle_time",
    metric="settle_time_s",
    unit="s",
    direction="minimise",
    meaning="from a contributor's start until all contributors stay within 20 % of their fair share, on 50 ms means; worst start",
    source="ours, after the discussion of Fig. 13 in Gran et al. 2010",
    when_null=1e3,  # they never settled: worse than any run is long
)

OBJECTIVES.add(SETTLE_TIME.name, SETTLE_TIME)
