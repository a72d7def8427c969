# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A link that is gone, or that goes down and comes up."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "lost-link",
    Rule(
        level="port",
        opened_by=frozenset({"link-gone", "hosts-gone", "link-flapping"}),
        sentence=lambda place: f"a link is gone, or goes down and comes up: {place}",
        next_step=lambda seen: "iblinkinfo --line",
    ),
)
