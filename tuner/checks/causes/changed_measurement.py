# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A change of the workload's document or of ibcc; nothing but the metrics has changed."""

from tuner.checks.likely_causes import RULES, Rule
from tuner.checks.named_documents import simulate_command
from tuner.checks.symptoms.of_night import METRIC_SYMPTOMS

RULES.add(
    "changed-measurement",
    Rule(
        level="fabric",
        opened_by=frozenset({"workload-changed", "version-changed", *METRIC_SYMPTOMS.values()}),
        sentence=lambda place: "the measurement itself has changed: the workload's document, or ibcc",
        next_step=lambda seen: simulate_command(seen),
    ),
)
