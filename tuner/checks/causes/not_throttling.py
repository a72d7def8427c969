# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""An adapter that holds its tables and does not react to notifications, such as after a change of firmware."""

from tuner.checks.likely_causes import RULES, Rule
from tuner.checks.named_documents import inventory_of

RULES.add(
    "not-throttling",
    Rule(
        level="node",
        opened_by=frozenset({"not-throttled"}),
        sentence=lambda place: f"an adapter does not throttle when it is notified: {place}",
        next_step=lambda seen: f"ibcc hosts canary {inventory_of(seen)}",
    ),
)
