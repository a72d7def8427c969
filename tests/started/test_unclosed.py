# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A run fails by what a test, or a program that a test starts, leaves open."""

import sys
from pathlib import Path

import pytest

from tests.started.unclosed import FILE

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

PROGRAM = """
import subprocess, sys
def test_it():
    subprocess.run([sys.executable, "-c", "{}"], check=True)
"""


@pytest.fixture
def inner(pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A run of its own, with our conftest.py and our filters of warnings."""
    pytester.makeconftest((root / "tests/conftest.py").read_text())
    pytester.makepyprojecttoml("[tool.pytest.ini_options]\nfilterwarnings = ['error']")
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.delenv(FILE, raising=False)
    return pytester


def run(inner: pytest.Pytester) -> pytest.RunResult:
    return inner.runpytest_subprocess("-p", "no:cacheprovider")


# Only from Python 3.13 on a connection warns.
KEPT = "__import__('sqlite3').connect(':memory:')" if sys.version_info >= (3, 13) else "open(__file__)"


def test_what_a_test_leaves_open_fails_it(inner: pytest.Pytester) -> None:
    inner.makepyfile(f"def test_it():\n    kept = {KEPT}\n    del kept")
    assert run(inner).ret == pytest.ExitCode.TESTS_FAILED


def test_what_a_program_leaves_open_fails_the_run_and_is_named_with_its_test(inner: pytest.Pytester) -> None:
    inner.makepyfile(PROGRAM.format("kept = open('conftest.py')"))
    result = run(inner)
    result.assert_outcomes(passed=1)
    assert result.ret == pytest.ExitCode.TESTS_FAILED
    result.stdout.fnmatch_lines(["*programs that did not close*", "*::test_it*unclosed file*conftest.py*"])


def test_a_program_that_closes_what_it_opens_passes(inner: pytest.Pytester) -> None:
    inner.makepyfile(PROGRAM.format("open('conftest.py').close()"))
    assert run(inner).ret == pytest.ExitCode.OK
