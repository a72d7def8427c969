# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Traffic that was not there before."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "aggressive-tenant",
    Rule(
        level="node",
        opened_by=frozenset({"traffic-foreign", "sender-faster"}),
        sentence=lambda place: f"traffic at {place} is more than before: a new job or tenant",
        next_step=lambda seen: "ibcc fabric congestion",
    ),
)
