# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Jain's fairness index of the contributors."""

from tuner.objectives.base import OBJECTIVES, Objective

JAIN_INDEX = Objective(
    name="jain_index",
    metric="jain_index",
    unit="1",
    direction="maximise",
    meaning="(sum of the contributors' throughputs)² / (their number times the sum of squares): 1 is equal, 1/n one flow has all",
    source="Jain, Chiu and Hawe 1984",
)

OBJECTIVES.add(JAIN_INDEX.name, JAIN_INDEX)
