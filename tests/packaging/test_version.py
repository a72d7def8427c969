# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The version stands in pyproject.toml. What cannot read it from there has the same."""

import json
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest
from packaging.version import Version

from tests.perftest_mods.agent.test_attacks import ibcc_agent


@pytest.fixture(scope="module")
def version(root: Path) -> str:
    found: str = tomllib.loads((root / "pyproject.toml").read_text())["project"]["version"]
    return found


def test_it_is_written_as_packages_have_it(version: str) -> None:
    assert str(Version(version)) == version


def test_what_is_installed_here_has_it(version: str) -> None:
    assert metadata.version("ibcc") == version, "`make install-dev` installs this version"


def test_the_agent_which_runs_alone_has_it(version: str) -> None:
    assert version == ibcc_agent.VERSION


def test_debian_s_packages_have_it(version: str, root: Path) -> None:
    """`~` comes before the end in Debian's order, as `.dev` does in Python's."""
    newest = re.match(r"ibcc \((\S+)\)", (root / "debian/changelog").read_text())
    assert newest is not None
    assert newest[1] == re.sub(r"\.(dev|a|b|rc)", r"~\1", version)


def test_changes_of_it_are_listed(version: str, root: Path) -> None:
    first = re.search(r"^## (\S+?),? ", (root / "CHANGELOG.md").read_text(), re.MULTILINE)
    assert first is not None
    assert first[1] == Version(version).base_version


def test_the_web_interface_has_none(root: Path) -> None:
    """It is private, and in the wheel."""
    folder = root / "api/ui"
    package, lock = (json.loads((folder / name).read_text()) for name in ("package.json", "package-lock.json"))
    assert package["private"] is True
    assert not any("version" in part for part in (package, lock, lock["packages"][""]))
