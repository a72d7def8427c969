# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Another profile than in the last good night."""

from tuner.checks.likely_causes import RULES, Rule

RULES.add(
    "changed-profile",
    Rule(
        level="fabric",
        opened_by=frozenset({"revision-changed", "profile-changed"}),
        sentence=lambda place: "another profile is in force than in the last good night",
        next_step=lambda seen: "ibcc fabric log",
    ),
)
