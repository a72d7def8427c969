# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tables of docs/use/objectives.md are those of tuner/goals."""

import re
from pathlib import Path

from tuner.goals.tables import with_tables


def squeezed(page: str) -> str:
    """Without the white space and dashes that a formatter of Markdown chooses."""
    return re.sub(r"[ \n]+", " ", re.sub(r"-{2,}", "---", page))


def test_the_tables_have_the_rows_of_goals(root: Path) -> None:
    page = (root / "docs/use/objectives.md").read_text()
    assert page.count("<!-- table: ") == 2
    assert squeezed(page) == squeezed(with_tables(page)), "python -m tuner.goals.tables writes them"
    assert "| `total_throughput` | `total_throughput_gbps` | Gb/s | more |" in squeezed(page)
