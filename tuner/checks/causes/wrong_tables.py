# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A device that does not hold, or did not hold, its tables."""

from tuner.checks.likelihoods import SYMPTOMS
from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "wrong-tables",
    Rule(
        level="node",
        opened_by=frozenset(symptom for symptom in SYMPTOMS if symptom.startswith("device-")),
        sentence=lambda place: f"a device does not hold, or did not hold, its tables: {place}",
        next_step=lambda seen: "ibcc profile verify",
    ),
)
