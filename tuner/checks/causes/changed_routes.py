# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routes that are not those of the last good night."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "changed-routes",
    Rule(
        level="fabric",
        opened_by=frozenset({"route-changed", "sl2vl-changed"}),
        sentence=lambda place: "routes have changed",
        next_step=lambda seen: f"ibcc fabric show {seen.check.fabric}",
    ),
)
