# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values of metrics as people read them."""

import re
from pathlib import Path

import pytest

from tuner.checks.shown_value import shown_value
from tuner.goals.metrics import METRICS


@pytest.mark.parametrize(
    ("metric", "value", "unit", "text"),
    [
        ("fairness.victim_throughput", 12.749, "Gb/s", "12.75 Gb/s"),
        ("fairness.jain_index", 0.9, "1", "0.9"),
        ("fairness.settle_time", 0.05, "s", "0.05 s"),
        ("fairness.settle_time", 1000.0, "s", "never"),
        ("settle_time", 640.0, "s", "never"),  # a level over nights of which some settled
        ("fairness.victim_throughput", 1000.0, "Gb/s", "1000 Gb/s"),
        ("links.errors", None, "1", "none"),
    ],
)
def test_what_never_came_is_no_number(metric: str, value: float | None, unit: str, text: str) -> None:
    assert shown_value(metric, value, unit) == text


def test_the_page_knows_the_same_metrics(root: Path) -> None:
    source = (root / "api/ui/src/pages/checks/trend_text.ts").read_text()
    row = re.search(r"NEVER: Record<string, number> = \{(.*)\}", source)
    assert row is not None
    known = {name: float(value) for name, value in re.findall(r"(\w+): (\d+)", row[1])}
    assert known == {name: one.when_null for name, one in METRICS.items() if one.when_null is not None}
