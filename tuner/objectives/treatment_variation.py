# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How unsteadily the contributors are treated. A constant unfairness has none: look at the spread too."""

from tuner.objectives.base import OBJECTIVES, Objective

TREATMENT_VARIATION = Objective(
    name="treatment_variation",
    metric="treatment_variation_gbps2",
    unit="Gb²/s²",
    direction="minimise",
    meaning="variance over time of the highest minus the lowest contributor throughput",
    source="Gran et al. 2010, section VII",
)

OBJECTIVES.add(TREATMENT_VARIATION.name, TREATMENT_VARIATION)
