# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""CPU is counted for the test that took it, in all processes, and added up by part."""

import json
from pathlib import Path

import pytest

from build_tools.lanes.names import lane_of
from tests.cpu import SESSION, SLOWEST, THOROUGH

pytest_plugins = ["pytester"]

HOOKS = """
from tests.cpu import *
from tests.cpu import pytest_configure, pytest_runtest_protocol, pytest_runtest_teardown
from tests.cpu import pytest_sessionfinish, pytest_terminal_summary
"""

TESTS = f"""
import subprocess, sys, time
import pytest

BUSY = "import time\\nwhile time.process_time() < 0.6: pass"

@pytest.fixture(scope="session")
def server():
    process = subprocess.Popen([sys.executable, "-c", BUSY + "\\nprint(1, flush=True)\\ntime.sleep(60)"],
                               stdout=subprocess.PIPE)
    yield
    process.stdout.readline()
    process.kill()
    process.communicate()

@pytest.mark.parametrize("number", range({SLOWEST}))
def test_light(number): pass

@pytest.mark.thorough
def test_busy(): subprocess.run([sys.executable, "-c", BUSY], check=True)

def test_idle(server): time.sleep(1)
"""


@pytest.mark.long
@pytest.mark.parametrize("options", [(), ("--numprocesses=2", "--dist=loadfile")])
def test_seconds_go_to_who_took_them(
    pytester: pytest.Pytester, root: Path, monkeypatch: pytest.MonkeyPatch, options: tuple[str, ...]
) -> None:
    pytester.makeconftest(HOOKS)
    pytester.makepyfile(test_it=TESTS)
    monkeypatch.setenv("PYTHONPATH", str(root))
    monkeypatch.setenv("IBCC_CPU_FILE", "cpu/it.json")
    result = pytester.runpytest_subprocess("-p", "no:cacheprovider", *options)
    result.assert_outcomes(passed=SLOWEST + 2)
    result.stdout.fnmatch_lines([f"*{SLOWEST} slowest tests*", "*s of CPU: test_it.py::test_idle*"])
    written = json.loads((pytester.path / "cpu/it.json").read_text())
    cpu_s = written["tests"]
    assert cpu_s["test_it.py::test_busy"] > 0.5
    assert cpu_s["test_it.py::test_idle"] < 0.5
    assert cpu_s["test_it.py::test_light[0]"] < 0.5
    assert cpu_s[SESSION] > 0.5
    assert written["parts"][THOROUGH] == cpu_s["test_it.py::test_busy"]


@pytest.mark.parametrize(
    ("nodeid", "row"),
    [
        ("tests/test_cpu.py::test_x", "tests"),
        (SESSION, "tests"),
        ("tests/experiments/carry_over/test_y.py::test_x", "tests/experiments"),
        ("tests/api/test_y.py::test_x", "tests/api"),
        ("tests/api/cli/server/test_y.py::test_x[a/b::c]", "tests/api/cli"),
        ("tests/tuner/campaign/test_y.py::test_x", "tests/tuner/campaign"),
    ],
)
def test_each_test_is_in_one_row(nodeid: str, row: str) -> None:
    assert lane_of(nodeid) == row
