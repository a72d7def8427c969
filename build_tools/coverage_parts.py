# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""python -m build_tools.coverage_parts FOLDER [BEFORE]: what the tests run of each part of the product, by line and by branch.

FOLDER is build/coverage, where coverage.sh leaves python.json (of `coverage json`) and native.json (of `gcovr --json-summary`).
Prints a table, and keeps it in FOLDER/parts.json. With BEFORE, the parts.json of another state, the exit code is 1 if a part has
fallen by more than `MOST_POINTS`; each such part is named.
"""

import json
import sys
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TypeAlias

MOST_POINTS = 0.5
"""Percentage points by which a part may fall."""

Counts: TypeAlias = tuple[int, int, int, int]
"""Lines that run, lines, branches that are taken, branches."""
Parts: TypeAlias = Mapping[str, Sequence[int]]
"""Counts by part."""


def part_of(file: str) -> str:
    """The two folders at the beginning of a path, three where sources are in `src`; the package itself for its loose files."""
    folders = file.split("/")[:-1]
    if folders == ["build", "agent"]:  # its modules, joined as hosts get them
        return "perftest_mods/agent"
    depth = 3 if folders[1:2] == ["src"] or folders[:1] == ["perftest_mods"] else 2
    return "/".join(folders[:depth])


def counts(folder: Path) -> Iterator[tuple[str, Counts]]:
    """Yields each file that was measured with its counts. Raises OSError, ValueError for a folder without them."""
    python = json.loads((folder / "python.json").read_text("utf-8"))["files"]
    for file, measured in python.items():
        total = measured["summary"]
        branches = total["covered_branches"], total["num_branches"]
        yield file, (total["covered_lines"], total["num_statements"], *branches)
    for measured in json.loads((folder / "native.json").read_text("utf-8"))["files"]:
        lines = measured["line_covered"], measured["line_total"]
        yield measured["filename"], (*lines, measured["branch_covered"], measured["branch_total"])


def parts(files: Iterator[tuple[str, Counts]]) -> Parts:
    found: dict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0])
    for file, counted in files:
        found[part_of(file)] = [one + more for one, more in zip(found[part_of(file)], counted, strict=True)]
    return dict(sorted(found.items()))


def percent(covered: int, total: int) -> float:
    """100 where there is nothing to cover."""
    return 100 * covered / total if total else 100.0


def fallen(before: Parts, after: Parts) -> Iterator[str]:
    """A sentence for each part that has fallen too far; parts that are gone or new have nothing to compare."""
    for part in sorted(set(before) & set(after)):
        for kind, at in (("lines", 0), ("branches", 2)):
            was, now = (percent(*counted[part][at : at + 2]) for counted in (before, after))
            if was - now > MOST_POINTS:
                share = f"{part}: the tests run {now:.1f} % of its {kind}; it was {was:.1f} %"
                yield f"{share}, and at most {MOST_POINTS} less would be right"


def main(folder: Path, before: Path | None) -> int:
    found = parts(counts(folder))
    for part, (lines, all_lines, branches, all_branches) in found.items():
        print(f"{part:40} {percent(lines, all_lines):5.1f} % of lines {percent(branches, all_branches):5.1f} % of branches")
    (folder / "parts.json").write_text(json.dumps(found, indent=1), encoding="utf-8")
    sentences = list(fallen(json.loads(before.read_text("utf-8")), found)) if before else []
    for sentence in sentences:
        print(sentence, file=sys.stderr)
    return 1 if sentences else 0


if __name__ == "__main__":
    sys.exit(main(Path(sys.argv[1]), Path(sys.argv[2]) if len(sys.argv) > 2 else None))
