# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What the list of tests that passed at their second try may hold."""

import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from build_tools.second_tries import HEAD, LIST, Row, add, faults, new_lines

ROW = Row("tests/test_a.py::Test::test_it[x y]", "2026-11-28", "e50cc8d0", "AssertionError")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "tests").mkdir()
    (tmp_path / "tests/test_a.py").write_text("class Test:\n    def test_it(self): pass\n\n\nasync def test_other(): pass\n")
    return tmp_path


def test_a_test_may_stand_in_the_list_once(folder: Path) -> None:
    add([ROW], folder)
    add([replace(ROW, test="tests/test_a.py::test_other")], folder)
    assert list(faults(folder)) == []
    add([replace(ROW, date="2027-01-01")], folder)
    assert list(faults(folder)) == [
        "tests/passed_at_second_try.tsv: 'tests/test_a.py::Test::test_it[x y]' stands there 2 times, so it fails by chance; mend "
        "the cause, and take its lines out in the commit that does so"
    ]


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        (
            "tests/test_a.py::test_other",
            "is no line of the list; a line has, with tabs between: test, date, commit, first failure",
        ),
        (ROW.line() + "\tmore", "is no line of the list"),
        (replace(ROW, failure="").line(), "is no line of the list"),
        (replace(ROW, date="28.11.2026").line(), "the date is '28.11.2026'; it must be a day such as 2026-02-28"),
        (replace(ROW, date="2026-02-30").line(), "the date is '2026-02-30'"),
        (replace(ROW, commit="main").line(), "the commit is 'main'; it must be"),
        (replace(ROW, test="tests/test_a.py::test_it").line(), "there is no test 'tests/test_a.py::test_it'; take its lines out"),
        (replace(ROW, test="tests/test_b.py::test_it").line(), "there is no test 'tests/test_b.py::test_it'"),
        (replace(ROW, test="tests/test_a.py").line(), "there is no test 'tests/test_a.py'"),
    ],
)
def test_faults_of_the_list_are_told(folder: Path, line: str, sentence: str) -> None:
    (folder / LIST).write_text(f"{HEAD}{line}\n")
    (found,) = faults(folder)
    assert found.startswith("tests/passed_at_second_try.tsv:3: ")
    assert sentence in found


def test_new_lines_are_those_that_no_commit_has(folder: Path) -> None:
    def git(*words: str) -> None:
        identity = ("-c", "user.name=x", "-c", "user.email=x@example.com", "-c", "core.hooksPath=/dev/null")
        subprocess.run(["git", "-C", folder, *identity, *words], check=True, capture_output=True)

    add([ROW], folder)
    git("init")
    assert new_lines(folder) == []
    git("add", ".")
    git("commit", "-m", "x")
    assert new_lines(folder) == []
    again = replace(ROW, commit="-")
    add([again, ROW], folder)
    assert new_lines(folder) == [again.line(), ROW.line()]


def test_the_list_of_this_repository_is_in_order(root: Path) -> None:
    assert list(faults(root)) == []
