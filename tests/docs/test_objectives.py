# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tables of docs/use/objectives.md are those of tuner/goals."""

import re
from pathlib import Path
from typing import Any

import numpy as np

from tuner.goals.metrics import METRICS, Activity, Metric, Observed
from tuner.goals.tables import with_tables


def squeezed(page: str) -> str:
    """Without the white space and dashes that a formatter of Markdown chooses."""
    return re.sub(r"[ \n]+", " ", re.sub(r"-{2,}", "---", page))


def test_the_tables_have_the_rows_of_goals(root: Path) -> None:
    page = (root / "docs/use/objectives.md").read_text()
    assert page.count("<!-- table: ") == 2
    assert squeezed(page) == squeezed(with_tables(page)), "python -m tuner.goals.tables writes them"
    assert "| `total_throughput` | `total_throughput_gbps` | Gb/s | more |" in squeezed(page)


def test_the_example_of_a_metric_is_one(root: Path) -> None:
    function, row = re.findall(r"^```python\n(.*?)^```$", (root / "docs/use/objectives.md").read_text(), re.MULTILINE | re.DOTALL)
    known: dict[str, Any] = {"Observed": Observed, "_row": dict}
    exec(function, known)
    exec("class Added:\n" + row, known)
    columns = known["Added"].slowest_victim_gbps
    assert Metric(key="slowest_victim_gbps", **columns).name not in METRICS
    flows = [Activity(role=role, start_s=0, stop_s=2) for role in ("victim", "contributor", "victim")]
    run = Observed(
        flows=flows, gbps=np.array([[3.0, 5.0], [0.0, 0.0], [1.0, 2.0]]), window=slice(0, 2), interval_s=1, round_trip_p99_us=None
    )
    assert columns["compute"](run) == 1.5
