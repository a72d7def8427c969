# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each source file says its licence in its first lines."""

from pathlib import Path

import pytest

LINE = "SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only"
FOLDERS = (
    "api",
    "benchmarks",
    "build_tools",
    "ccpolicy",
    "configs",
    "experiments",
    "opensm_plugin",
    "perftest_mods",
    "simulator",
)
SOURCES = {".py", ".pyi", ".c", ".h", ".cc", ".cpp", ".hpp", ".sh", ".yaml", ".cmake", ".ts", ".tsx", ".j2"}
TOP = ("CMakeLists.txt", "Makefile", "pyproject.toml", "setup.py", ".ci/run", ".clang-format", ".clang-tidy")
# Examples that tests read as data: a comment would change what they are about.
DATA = ("corpus", "data")
# Not ours, or built.
STRANGERS = ("node_modules", "dist")


def sources(root: Path) -> list[Path]:
    found = [root / name for name in TOP]
    for folder in (*FOLDERS, "tests", "tuner"):
        inside = [p for p in (root / folder).rglob("*") if p.suffix in SOURCES]
        found += [p for p in inside if not {*DATA, *STRANGERS} & set(p.relative_to(root).parts)]
    return [p for p in found if p.is_file()]


@pytest.mark.long
def test_every_source_file_has_the_line(root: Path) -> None:
    found = sources(root)
    assert len(found) > 30
    lacking = [str(p.relative_to(root)) for p in found if LINE not in "".join(p.read_text().splitlines()[:2])]
    assert lacking == []


def test_licence_texts_are_whole(root: Path) -> None:
    gpl = (root / "LICENSE.GPL-2.0-only").read_text()
    assert "GNU GENERAL PUBLIC LICENSE" in gpl
    assert "Version 2, June 1991" in gpl
    assert "END OF TERMS AND CONDITIONS" in gpl
    assert "THE COPYRIGHT HOLDERS AND CONTRIBUTORS" in (root / "LICENSE.BSD-2-Clause").read_text()
