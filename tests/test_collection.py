# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What random tests draw depends on the tests alone, and test files are compiled by one process of a run, not by each."""

import re
from pathlib import Path

import pytest

pytestmark = pytest.mark.long

pytest_plugins = ["pytester"]

DRAWS = """
from hypothesis import given, strategies
drawn = []

@given(strategies.integers())
def test_draws(number): drawn.append(number)

def test_prints(): print("drawn:", drawn)
"""

CONSTANTS = "NUMBERS = (" + ", ".join(str(10**6 + number) for number in range(300)) + ")"

WAITS_FOR_ANOTHER = """
import os, time
from pathlib import Path
place = Path(os.environ["PLACE"])
(place / os.environ["PYTEST_XDIST_WORKER"]).touch()
for _ in range(100):
    if len(list(place.iterdir())) > 1:
        break
    time.sleep(0.05)
else:
    (place / "alone").touch()
def test_it(): pass
"""


@pytest.fixture
def inner(pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.Pytester:
    """A folder of tests that are collected as ours are."""
    pytester.makeconftest("from tests.conftest import *")
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.delenv("PYTHONDONTWRITEBYTECODE", raising=False)
    return pytester


def test_random_tests_draw_the_same_whatever_else_is_imported(inner: pytest.Pytester) -> None:
    inner.makepyfile(test_it=DRAWS, others=CONSTANTS)
    drawn = [
        re.search(r"drawn: .*", inner.runpytest_subprocess("-s", "-p", "no:cacheprovider", *others).stdout.str())
        for others in ((), ("-p", "others"))
    ]
    assert drawn[0] is not None
    assert drawn[1] is not None
    assert drawn[0][0] == drawn[1][0]
    assert drawn[0][0].count(",") > 50


def test_the_first_process_compiles_before_the_others_collect(
    inner: pytest.Pytester, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    inner.makepyfile(test_a=WAITS_FOR_ANOTHER, **{f"test_file_{number}": "def test_it(): pass" for number in range(21)})
    monkeypatch.setenv("PLACE", str(tmp_path))
    options = ("--numprocesses=2", "--dist=loadfile", "-p", "no:cacheprovider")
    inner.runpytest_subprocess(*options).assert_outcomes(passed=22)
    assert sorted(file.name for file in tmp_path.iterdir()) == ["alone", "gw0", "gw1"]
