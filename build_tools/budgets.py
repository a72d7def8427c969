# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Warns where a part of `.ci/run` takes more CPU than the table in docs/inside/development.md allows it.

Reads what build_tools/steps.sh and tests/cpu.py wrote into build/steps. Machines differ in speed: where most parts take longer
than the table says, budgets are larger by the same factor, and the sentence says so. The exit code is 0 whatever is found: a slow
machine fails no change.
"""

import json
import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
DOCUMENT = ROOT / "docs/inside/development.md"
STEPS = ROOT / "build/steps"

SUMS = {"Tests", "Tests in Python", "System packages", "Install", "Second tries", "Lanes of mutants"}
"""Steps without a row: they are the sum of others, depend on the network, or take next to nothing."""

LONG_ENOUGH_S = 5.0
"""Parts of less CPU say little about how fast a machine is."""

_ROW = re.compile(r"^\| `?([^|`]+?)`? *\| *(\d+) *\| *(\d+) *\|")


@dataclass(frozen=True)
class Row:
    """A part of `.ci/run`: seconds of CPU that it took when the table was written, and that it may take."""

    part: str
    cpu_s: float
    budget_s: float


def table(text: str) -> list[Row]:
    """The rows of the document's table of budgets."""
    return [Row(found[1], float(found[2]), float(found[3])) for line in text.splitlines() if (found := _ROW.match(line))]


def measured(folder: Path) -> dict[str, float]:
    """Seconds of CPU by part, of those parts that ran. Raises OSError, ValueError for files that are no such files."""
    found: dict[str, float] = {}
    for file in sorted(folder.glob("*.tsv")):
        if file.stem in ("ci", "test"):
            steps = (line.split("\t") for line in file.read_text("utf-8").splitlines())
            found |= {title: float(cpu_s) for title, _, cpu_s, *_ in steps if title not in SUMS}
    if (python := folder / "python.json").exists():
        found |= json.loads(python.read_text("utf-8"))["parts"]
    return found


def warnings(rows: Sequence[Row], took: Mapping[str, float]) -> Iterator[str]:
    """A sentence for each part that takes more than its budget, or has none."""
    known = {row.part: row for row in rows}
    ratios = [took[row.part] / row.cpu_s for row in rows if row.part in took and row.cpu_s >= LONG_ENOUGH_S]
    slower = max(1.0, statistics.median(ratios)) if ratios else 1.0
    for part, cpu_s in sorted(took.items()):
        if part not in known:
            yield f"{part} took {cpu_s:.0f} s of CPU and has no row in {DOCUMENT.relative_to(ROOT)}; add one with its budget"
        elif cpu_s > (most_s := known[part].budget_s * slower):
            machine = f", times {slower:.2f} as this machine is slower than the table's" if slower > 1 else ""
            yield f"{part} took {cpu_s:.0f} s of CPU; its budget is {known[part].budget_s:.0f} s{machine}: {most_s:.0f} s"


def main() -> None:
    """Prints the warnings."""
    found = list(warnings(table(DOCUMENT.read_text("utf-8")), measured(STEPS)))
    for sentence in found:
        print(f"warning: {sentence}")
    if not found:
        print("Every part is within its budget of CPU (docs/inside/development.md).")


if __name__ == "__main__":
    main()
