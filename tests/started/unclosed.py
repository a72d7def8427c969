# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Programs in Python that tests start close what they open: the run fails if one of them did not.

What a test itself leaves open fails it, as every warning does (pyproject.toml). A program that a test starts is another
process, whose warnings nobody would see: sitecustomize.py, beside this file, gathers them. A program that gets another
environment, or that ends by a signal, says nothing. conftest.py loads this plugin.
"""

import os
import tempfile
from pathlib import Path
from typing import Any

import pytest

FILE = "IBCC_UNCLOSED"
"""Names the file that programs write to, a line each time. The processes of a run share it."""

_GATHERED = pytest.StashKey[Path]()
"""The process that has made the file keeps its path here."""


def pytest_configure(config: pytest.Config) -> None:
    """Has every Python that is started from now on import sitecustomize.py."""
    if FILE in os.environ:
        return  # the run's own processes inherit it
    descriptor, name = tempfile.mkstemp(prefix="ibcc-unclosed-")
    os.close(descriptor)
    before = {key: os.environ.get(key) for key in (FILE, "PYTHONPATH")}
    os.environ[FILE] = name
    os.environ["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *filter(None, [before["PYTHONPATH"]])])

    def end() -> None:
        Path(name).unlink()
        for key, value in before.items():
            if value is None:
                del os.environ[key]
            else:
                os.environ[key] = value

    config.stash[_GATHERED] = Path(name)
    config.add_cleanup(end)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    file = session.config.stash.get(_GATHERED, None)
    if file is not None and file.stat().st_size and session.exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    file = config.stash.get(_GATHERED, None)
    if file is not None and (lines := sorted(set(file.read_text().splitlines()))):
        terminalreporter.section("programs that did not close what they opened")
        for line in lines:
            terminalreporter.line(line)
