# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A link that is slower than it was, or loses packets."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "degraded-link",
    Rule(
        level="port",
        opened_by=frozenset({"link-slow", "link-narrow", "link-errors", "link-flows-slower", "sender-slower", "receiver-slower"}),
        sentence=lambda place: f"a link is slower than it was, or loses packets: {place}",
        next_step=lambda seen: "iblinkinfo --line",
    ),
)
