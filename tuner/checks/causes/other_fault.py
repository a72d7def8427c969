# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A finding that no other rule knows."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "other-fault",
    Rule(
        level="node",
        opened_by=frozenset({"other-fault"}),
        sentence=lambda place: f"a fault that no rule knows: {place}",
        next_step=lambda seen: f"ibcc check show {seen.check.name}",
    ),
)
