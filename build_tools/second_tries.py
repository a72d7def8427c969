# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The list of tests that failed, were repeated by themselves, and passed then: tests/passed_at_second_try.tsv.

    python -m build_tools.second_tries          # exit code 1 and a sentence for each fault of the list
    python -m build_tools.second_tries --new    # the lines that the last commit does not have

tests/second_try.py adds to it. A test that stands there twice is a fault: its cause is to be mended, and the commit that does so
takes its lines out.
"""

import argparse
import ast
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import astuple, dataclass
from datetime import UTC, date, datetime
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
LIST = "tests/passed_at_second_try.tsv"
COLUMNS = ("test", "date", "commit", "first failure")
HEAD = (
    "# Tests that failed and passed at their second try; docs/inside/development.md says when a line leaves.\n"
    + "\t".join(COLUMNS)
    + "\n"
)
LONGEST_FAILURE = 200
"""Characters of a failure's first line that are kept."""

_COMMIT = re.compile(r"[0-9a-f]{7,40}(-dirty)?|-")


@dataclass(frozen=True)
class Row:
    """A test that passed at its second try."""

    test: str
    date: str
    commit: str
    failure: str

    def line(self) -> str:
        """As it stands in the list, without the end of the line."""
        return "\t".join(" ".join(cell.split()) for cell in astuple(self))


def passed_now(test: str, failure: str, root: Path) -> Row:
    """The row of a test that passed at its second try today."""
    first = next((line.strip() for line in failure.splitlines() if line.strip()), "-")
    return Row(test, datetime.now(UTC).date().isoformat(), _commit(root), first[:LONGEST_FAILURE])


def add(rows: list[Row], root: Path) -> None:
    """Adds rows at the list's end."""
    file = root / LIST
    file.parent.mkdir(exist_ok=True)
    text = file.read_text("utf-8") if file.exists() else HEAD
    file.write_text(text + "".join(f"{row.line()}\n" for row in rows), "utf-8")


def faults(root: Path) -> Iterator[str]:
    """A sentence for each line that is malformed, each test that is not there (any more), and each that stands there twice."""
    tests: Counter[str] = Counter()
    for number, line in _lines(root):
        place = f"{LIST}:{number}"
        cells = line.split("\t")
        if len(cells) != len(COLUMNS) or not all(cell.strip() for cell in cells):
            yield f"{place}: {line!r} is no line of the list; a line has, with tabs between: {', '.join(COLUMNS)}"
            continue
        row = Row(*cells)
        tests[row.test] += 1
        if not _is_date(row.date):
            yield f"{place}: the date is {row.date!r}; it must be a day such as 2026-02-28"
        if not _COMMIT.fullmatch(row.commit):
            yield f"{place}: the commit is {row.commit!r}; it must be the beginning of its hash, or -"
        if not _exists(row.test, root):
            yield f"{place}: there is no test {row.test!r}; take its lines out, or name it as it is called now"
    for test, count in tests.items():
        if count > 1:
            yield (
                f"{LIST}: {test!r} stands there {count} times, so it fails by chance; mend the cause, "
                "and take its lines out in the commit that does so"
            )


def new_lines(root: Path) -> list[str]:
    """Lines of the list that the last commit does not have; none where git knows no commit."""
    before = _git(root, "show", f"HEAD:{LIST}")
    if before is None and _git(root, "rev-parse", "HEAD") is None:
        return []
    left = Counter(line for line in (before or "").splitlines() if line)
    new = []
    for _, line in _lines(root):
        if left[line] > 0:
            left[line] -= 1
        else:
            new.append(line)
    return new


def _lines(root: Path) -> Iterator[tuple[int, str]]:
    """Number and text of each line that is to be a row."""
    file = root / LIST
    if file.exists():
        for number, line in enumerate(file.read_text("utf-8").splitlines(), start=1):
            if line.strip() and not line.startswith("#") and line != "\t".join(COLUMNS):
                yield number, line


def _is_date(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _exists(nodeid: str, root: Path) -> bool:
    """Whether the file has that class and function. What parameters a test has, only pytest knows."""
    name, *inside = nodeid.partition("[")[0].split("::")
    file = root / name
    if not inside or file.suffix != ".py" or ".." in file.parts or not file.is_file():
        return False
    body: list[ast.stmt] = ast.parse(file.read_text("utf-8")).body
    for attempt in inside:
        kinds = ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef
        found = next((node for node in body if isinstance(node, kinds) and node.name == attempt), None)
        if found is None:
            return False
        body = found.body
    return True


def _commit(root: Path) -> str:
    return _git(root, "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*") or "-"


def _git(root: Path, *words: str) -> str | None:
    """What git prints, None where it fails or is not installed."""
    try:
        return subprocess.run(["git", "-C", root, *words], capture_output=True, text=True, check=True).stdout.strip()
    except (OSError, subprocess.CalledProcessError):
        return None


def main() -> None:
    """Checks the list, or prints its new lines."""
    parser = argparse.ArgumentParser(description=f"Checks {LIST}.")
    parser.add_argument(
        "--new", action="store_true", help="print the lines that the last commit does not have, and check nothing"
    )
    if parser.parse_args().new:
        if lines := new_lines(ROOT):
            print(f"\nTests passed at their second try. To be committed with the change, in {LIST}:", *lines, sep="\n")
        return
    found = list(faults(ROOT))
    print(*found, sep="\n", end="\n" if found else "", file=sys.stderr)
    sys.exit(1 if found else 0)


if __name__ == "__main__":
    main()
