# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/operate/checks.md has the tables of fairness_metrics.py and impact_metrics.py."""

import re
from pathlib import Path

from tuner.checks.fairness_metrics import FAIRNESS_METRICS
from tuner.checks.impact.metrics import IMPACT_METRICS


def test_the_document_has_the_assumptions_of_each_metric(root: Path) -> None:
    shown: dict[str, tuple[str, ...]] = {}
    for line in (root / "docs/operate/checks.md").read_text("utf-8").splitlines():
        if line.startswith("| `") and line.count("|") == 6:
            names, *rest = [cell.strip() for cell in line.strip("|").split("|")]
            shown |= {name: tuple(rest) for name in re.findall(r"`(\w+)`", names)}
    for metric in (*FAIRNESS_METRICS, *IMPACT_METRICS):
        noise = metric.noise
        effect = f"{metric.least_effect * 100:g} %" if metric.relative else f"{metric.least_effect:g}"
        assert shown[metric.name] == (noise.scale, noise.tails, f"{noise.resolution:g}", effect), metric.name
