# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routes that are wrong as they are, whatever they were: seen in a first night too."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "wrong-routes",
    Rule(
        level="fabric",
        opened_by=frozenset({"route-missing", "credit-loop", "link-unbalanced"}),
        sentence=lambda place: "routes are missing, can deadlock, or share links badly",
        next_step=lambda seen: f"ibcc fabric routing {seen.check.fabric}",
    ),
)
