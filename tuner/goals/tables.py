# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tables of docs/use/objectives.md, made of the rows here: `python -m tuner.goals.tables`."""

import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from tuner.goals.constraints import CONSTRAINTS
from tuner.goals.metrics import METRICS

PAGE = Path(__file__).resolve().parents[2] / "docs/use/objectives.md"
_PLACE = re.compile(r"(<!-- table: (\w+) -->\n).*?(\n<!-- end -->)", re.DOTALL)


def objectives() -> str:
    """A row for each metric, which is an objective too."""
    better = {"maximize": "more", "minimize": "less"}
    return _table(
        ("name", "metric", "unit", "better", "definition"),
        (
            (f"`{row.name}`", f"`{row.key}`", "" if row.unit == "1" else row.unit, better[row.direction], row.meaning)
            for row in METRICS.values()
        ),
    )


def constraints() -> str:
    return _table(
        ("name", "takes", "`of` by default", "limits"),
        (
            (
                f"`{row.name}`",
                f"`{row.sense}`",
                f"`{row.default_of}`" + (f" ({row.unit})" if row.default_of == "value" else ""),
                row.meaning,
            )
            for row in (CONSTRAINTS.get(name) for name in METRICS if name in CONSTRAINTS.names())
        ),
    )


def with_tables(page: str) -> str:
    """The page with both tables as they are now."""
    tables = {"objectives": objectives, "constraints": constraints}
    return _PLACE.sub(lambda place: place[1] + tables[place[2]]() + place[3], page)


def _table(head: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    return "\n".join(f"| {' | '.join(row)} |" for row in (head, ["---"] * len(head), *rows))


if __name__ == "__main__":
    PAGE.write_text(with_tables(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
