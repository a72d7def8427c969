# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What each test costs: seconds of CPU of the process that runs it and of all that it started and waited for.

Added up by part, a row of the table in docs/inside/development.md. The clock would depend on what else the machine does.
conftest.py takes the hooks into pytest; `.ci/run` compares what is written here with the table's budgets.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from build_tools.lanes.names import lane_of

SLOWEST = 10

SESSION = "tests/collection and fixtures of the session"
"""Counted as if it were a test of this name."""

THOROUGH = "Thorough tests"
"""The row of all tests marked `thorough`, which `make test` does not run."""

_thorough: set[str] = set()
"""Node ids of those."""

_spent: dict[str, float] = {}
"""CPU seconds by test; of this process, or of all workers in the process that hands out tests."""

_begun: dict[str, float] = {}


def now_s() -> float:
    """CPU seconds of this process and of its children that have ended and were waited for."""
    times = os.times()
    return times.user + times.system + times.children_user + times.children_system


_import_s = now_s()  # of the interpreter, before any test


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    """Fixtures count for the test that sets them up or tears them down, those of the session apart: a virtual machine's work
    counts when it ends, and would be charged to whichever test is the last."""
    _begun[item.nodeid] = now_s()
    if item.get_closest_marker("thorough"):
        _thorough.add(item.nodeid)
    try:
        return (yield)
    finally:
        begin_s = _begun.pop(item.nodeid)
        _spent.setdefault(item.nodeid, now_s() - begin_s)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item, nextitem: pytest.Item | None) -> None:
    if nextitem is None:
        _spent[item.nodeid] = now_s() - _begun[item.nodeid]


def pytest_sessionfinish(session: pytest.Session) -> None:
    if _spent and not session.config.pluginmanager.hasplugin("dsession"):  # that is where workers' figures are put together
        _spent[SESSION] = now_s() - _import_s - sum(_spent.values())
    if (output := getattr(session.config, "workeroutput", None)) is not None:
        output["cpu_s"] = _spent
        output["thorough"] = sorted(_thorough)


class Gathering:
    """The hook of pytest-xdist, which is registered only where that plugin is loaded."""

    def pytest_testnodedown(self, node: Any) -> None:
        output = getattr(node, "workeroutput", {})
        for nodeid, spent_s in output.get("cpu_s", {}).items():
            _spent[nodeid] = _spent.get(nodeid, 0.0) + spent_s
        _thorough.update(output.get("thorough", ()))


def pytest_configure(config: pytest.Config) -> None:
    if config.pluginmanager.hasplugin("xdist"):
        config.pluginmanager.register(Gathering(), "cpu-of-workers")


def pytest_terminal_summary(terminalreporter: Any, exitstatus: int, config: pytest.Config) -> None:
    """The slowest tests. Where IBCC_CPU_FILE names a file, as JSON into it: CPU seconds by part and by test, which tests failed,
    and whether all of their files ran."""
    clock_s: dict[str, float] = defaultdict(float)
    for reports in terminalreporter.stats.values():
        for report in reports:
            if hasattr(report, "duration") and hasattr(report, "nodeid"):
                clock_s[report.nodeid] += report.duration
    if len(_spent) >= SLOWEST:
        terminalreporter.section(f"{SLOWEST} slowest tests")
        for nodeid in sorted(_spent, key=lambda one: -clock_s[one])[:SLOWEST]:
            terminalreporter.line(f"{clock_s[nodeid]:6.1f} s by the clock, {_spent[nodeid]:5.1f} s of CPU: {nodeid}")
    if file := os.environ.get("IBCC_CPU_FILE"):
        parts: dict[str, float] = defaultdict(float)
        for nodeid, spent_s in _spent.items():
            parts[THOROUGH if nodeid in _thorough else lane_of(nodeid)] += spent_s
        stats = terminalreporter.stats
        failed = [report.nodeid for kind in ("failed", "error") for report in stats.get(kind, ()) if hasattr(report, "nodeid")]
        ended = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
        whole = ended and not config.option.keyword and not config.option.markexpr and not stats.get("deselected")
        results = {"parts": parts, "tests": _spent, "clock_s": clock_s, "failed": sorted(set(failed)), "whole": whole}
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        Path(file).write_text(json.dumps(results, indent=1))
