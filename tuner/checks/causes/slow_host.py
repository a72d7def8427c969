# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A host that sends or receives less than it did: its bus, its memory, its programs."""

from tuner.checks.likely_causes import RULES, Rule
from tuner.checks.named_documents import inventory_of

RULES.add(
    "slow-host",
    Rule(
        level="node",
        opened_by=frozenset({"host-fault", "sender-slower", "receiver-slower"}),
        sentence=lambda place: f"a host is slow: {place}",
        next_step=lambda seen: f"ibcc hosts check {inventory_of(seen)}",
    ),
)
