# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How unequally the contributors are treated."""

from tuner.objectives.base import OBJECTIVES, Objective

SPREAD = Objective(
    name="spread",
    metric="spread_gbps",
    unit="Gb/s",
    direction="minimise",
    meaning="mean over time of the highest minus the lowest contributor throughput",
    source="ours, because the treatment variation does not see a constant unfairness",
)

OBJECTIVES.add(SPREAD.name, SPREAD)
