# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The markers `browser` and `timing`, and with --second-try a second try for tests that have one and failed.

What fails once in a hundred runs on a busy machine must not cost a run, and must not be hidden. So after all other tests have
ended, each such test is repeated once, in a process of its own. If all pass then, so does the run, and each is written into
the list that build_tools/second_tries.py checks. Nothing is repeated where a failed test has neither marker, or where more than
`MOST` failed: that is no chance. conftest.py loads this plugin. (pytest-rerunfailures repeats at once, beside other tests, any
number of them, and keeps no list.)
"""

import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from build_tools.second_tries import LIST, add, passed_now

MOST = 2
"""Tests that are repeated in one run."""

PROPERTY = "may be repeated"
"""A report has the test's marker under this name. Workers of pytest-xdist hand it on."""

KEPT_OPTIONS = ("--run-thorough", "--run-slow", "--hypothesis-profile")
"""Options that the repetition has too."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption(
        "--second-try", action="store_true", help=f"repeat at most {MOST} failed tests that are marked browser or timing"
    )


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Marks the tests that take the fixture `browser`, and refuses the marker `timing` without a reason."""
    for item in items:
        if "browser" in getattr(item, "fixturenames", ()):
            item.add_marker(pytest.mark.browser)
        for marker in item.iter_markers("timing"):
            if not (len(marker.args) == 1 and isinstance(marker.args[0], str) and marker.args[0].strip()):
                right = '@pytest.mark.timing("why it depends on time")'
                raise pytest.UsageError(f"{item.nodeid} is marked timing without a reason; {right} would be right")
        if names := [name for name in ("browser", "timing") if item.get_closest_marker(name)]:
            item.user_properties.append((PROPERTY, " and ".join(names)))


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--second-try") and not config.getoption("--quick", False) and not hasattr(config, "workerinput"):
        config.pluginmanager.register(_SecondTry(config), "second-try")


@dataclass(frozen=True)
class _Failure:
    said: str
    markers: str
    """Empty where the test has neither."""


class _SecondTry:
    """In the process that hands out tests, or that runs them all."""

    def __init__(self, config: pytest.Config) -> None:
        self._config = config
        self._failures: dict[str, _Failure] = {}
        self._uncollected = False

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        self._uncollected |= report.failed

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed:
            markers = str(dict(report.user_properties).get(PROPERTY, ""))
            self._failures.setdefault(report.nodeid, _Failure(_said(report), markers))

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_sessionfinish(self, session: pytest.Session) -> Iterator[None]:
        """Around all others: the workers have ended, and the summary stands above."""
        yield
        whole = session.exitstatus == pytest.ExitCode.TESTS_FAILED and not session.shouldfail and not session.shouldstop
        if whole and self._failures:
            terminal = self._config.pluginmanager.getplugin("terminalreporter")
            if self._passed_then(terminal):
                session.exitstatus = pytest.ExitCode.OK

    def _passed_then(self, terminal: Any) -> bool:
        terminal.section("second try")
        if reason := self._why_not():
            terminal.line(f"Nothing is repeated: {reason}.")
            return False
        passed = True
        for test, failure in self._failures.items():
            terminal.line(f"{test} failed and is marked {failure.markers}, so it is repeated by itself.")
            again, output = self._repeated(test)
            if again:
                terminal.line(f"{test} passed at its second try.")
            else:
                terminal.line(f"{test} did not pass at its second try either:")
                terminal.write(output)
                passed = False
        if passed:
            root = self._config.rootpath
            rows = [passed_now(test, failure.said, root) for test, failure in self._failures.items()]
            add(rows, root)
            terminal.line(f"The run has passed. {LIST} has changed and is to be committed with the change; its new lines:")
            for row in rows:
                terminal.line(row.line())
        return passed

    def _why_not(self) -> str | None:
        if self._uncollected:
            return "not all tests could be collected"
        if unmarked := [test for test, failure in self._failures.items() if not failure.markers]:
            return f"{unmarked[0]} failed and is marked neither browser nor timing"
        if len(self._failures) > MOST:
            return f"{len(self._failures)} tests failed; at most {MOST} in a run may pass at their second try"
        return None

    def _repeated(self, test: str) -> tuple[bool, str]:
        """Whether the test passed in a process that runs nothing else, and what that printed. To be skipped is not to pass."""
        options = []
        for name in KEPT_OPTIONS:
            if value := self._config.getoption(name, None):
                options.append(name if value is True else f"{name}={value}")
        variables = {name: value for name, value in os.environ.items() if name != "IBCC_CPU_FILE"}
        with tempfile.TemporaryDirectory() as folder:
            outcome = Path(folder, "outcome.xml")
            command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", f"--junit-xml={outcome}", *options, test]
            root = self._config.rootpath
            done = subprocess.run(command, cwd=root, env=variables, stdin=subprocess.DEVNULL, capture_output=True, text=True)
            passed = done.returncode == 0 and _one_passed(outcome)
        return passed, done.stdout + done.stderr


def _said(report: pytest.TestReport) -> str:
    """What a failure says first."""
    crash = getattr(report.longrepr, "reprcrash", None)
    return str(crash.message) if crash is not None else report.longreprtext


def _one_passed(outcome: Path) -> bool:
    suite = ElementTree.parse(outcome).getroot().find("testsuite")
    counts = {} if suite is None else suite.attrib
    return [counts.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["1", "0", "0", "0"]
