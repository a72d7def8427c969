# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Debian's Chromium, for the tests of pages and for their benchmarks."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Browser, sync_playwright

PACKAGE = "chromium-headless-shell"
"""Debian's package of it, and the name of its program. It draws without a window, and takes three quarters of the CPU time that
the whole browser takes for the same pages."""

MISSING = f"no Chromium: Debian's package {PACKAGE} has it"


def program() -> str | None:
    """Path of Chromium without windows, else of the whole browser; None where neither is installed."""
    return shutil.which(PACKAGE) or shutil.which("chromium")


def required() -> str:
    """Path of the program. A test that needs it is skipped where there is none; under continuous integration it fails."""
    found = program()
    if found is None:
        if os.environ.get("CI"):
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    return found


def sandbox() -> list[str]:
    """Options for who runs it: Chromium refuses its sandbox to root, as whom containers often run."""
    return ["--no-sandbox"] if os.geteuid() == 0 else []


@contextmanager
def chromium() -> Iterator[Browser]:
    """Runs Chromium, which must be there, under Playwright."""
    found = program()
    assert found is not None, MISSING
    with sync_playwright() as playwright:
        one = playwright.chromium.launch(executable_path=found, args=sandbox())
        yield one
        one.close()
