# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests and linters may take: the table in docs/inside/development.md is whole, stays within the promise, and is watched."""

import json
import re
from pathlib import Path

from build_tools.budgets import DOCUMENT, SUMS, Row, measured, table, warnings
from build_tools.lanes.names import lane_of
from tests.cpu import THOROUGH

CORES = 2
TEST_S = 10 * 60 * CORES
CI_S = 25 * 60 * CORES
ONLY_CI = {"Linters", "Fuzzers", "Simulation", "Demo", THOROUGH}

ROWS = [Row("tests/a", 10, 20), Row("tests/b", 10, 20), Row("Linters", 100, 150)]


def test_every_folder_of_tests_has_a_row_and_every_row_a_folder(root: Path) -> None:
    folders = {lane_of(str(file.relative_to(root))) for file in (root / "tests").rglob("test_*.py")}
    rows = table(DOCUMENT.read_text())
    assert {row.part for row in rows if row.part.startswith("tests")} == folders
    assert len({row.part for row in rows}) == len(rows)


def test_every_step_has_a_row(root: Path) -> None:
    scripts = (root / ".ci/run").read_text() + (root / "build_tools/test.sh").read_text()
    titles = set(re.findall(r"(?<!\w)step '([^']+)'", scripts))
    assert titles - SUMS | {THOROUGH} == {row.part for row in table(DOCUMENT.read_text()) if not row.part.startswith("tests")}


def test_budgets_together_are_within_what_people_wait_for() -> None:
    rows = table(DOCUMENT.read_text())
    assert all(0 < row.cpu_s <= row.budget_s for row in rows)
    assert sum(row.budget_s for row in rows if row.part not in ONLY_CI) <= TEST_S
    assert sum(row.budget_s for row in rows) <= CI_S


def test_who_passes_a_budget_is_named() -> None:
    (sentence,) = warnings(ROWS, {"tests/a": 21, "tests/b": 9, "Linters": 100})
    assert sentence == "tests/a took 21 s of CPU; its budget is 20 s: 20 s"


def test_a_slow_machine_is_no_reason() -> None:
    assert list(warnings(ROWS, {"tests/a": 25, "tests/b": 26, "Linters": 260})) == []
    (sentence,) = warnings(ROWS, {"tests/a": 20, "tests/b": 61, "Linters": 200})
    assert "tests/b took 61 s" in sentence
    assert "times 2.00" in sentence


def test_a_part_without_a_row_is_named() -> None:
    (sentence,) = warnings(ROWS, {"tests/new": 3})
    assert "tests/new" in sentence
    assert "no row" in sentence


def test_what_steps_and_pytest_wrote_is_read(tmp_path: Path) -> None:
    (tmp_path / "ci.tsv").write_text("Install\t60\t100\t0\nLinters\t300\t580\t0\nTests\t500\t900\t0\n")
    (tmp_path / "test.tsv").write_text("Tests in Python\t400\t700\t0\nTests in C and C++\t100\t190\t0\n")
    (tmp_path / "quick.tsv").write_text("Tests in C and C++\t9\t9\t0\n")
    (tmp_path / "python.json").write_text(json.dumps({"parts": {"tests/a": 12.5}}))
    assert measured(tmp_path) == {"Linters": 580, "Tests in C and C++": 190, "tests/a": 12.5}
