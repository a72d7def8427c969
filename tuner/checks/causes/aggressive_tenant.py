# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Traffic that was not there before."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "aggressive-tenant",
    Rule(
        level="node",
        opened_by=frozenset({"traffic-foreign", "sender-faster"}),
        sentence=lambda place: f"somebody sends more than before, such as a new job or tenant: {place}",
        next_step=lambda seen: "ibcc fabric congestion",
    ),
)
