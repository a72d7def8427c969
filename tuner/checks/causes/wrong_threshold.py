# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A switch that marks too late or too early."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "wrong-threshold",
    Rule(
        level="node",
        opened_by=frozenset({"marks-fewer", "marks-more"}),
        sentence=lambda place: f"a switch marks too late or too early; its threshold, marking rate or mask is wrong: {place}",
        next_step=lambda seen: "ibcc profile verify",
    ),
)
