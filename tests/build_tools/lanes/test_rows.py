# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The tables of lanes name what there is."""

import re
import subprocess
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from build_tools.lanes.built import OPENS
from build_tools.lanes.choice import everything
from build_tools.lanes.names import ALL, NATIVE, program_of
from build_tools.lanes.rows import ROWS


@pytest.fixture(scope="module")
def files(root: Path) -> list[str]:
    listed = subprocess.run(
        ["git", "ls-files", "--cached", "--others", "--exclude-standard"], cwd=root, capture_output=True, text=True
    )
    if listed.returncode:
        pytest.skip("this is no clone: which files it has is not known")
    return listed.stdout.splitlines()


def test_each_row_matches_a_file(files: list[str]) -> None:
    without = [row.pattern for row in ROWS if not any(fnmatchcase(file, row.pattern) for file in files)]
    assert without == []


def test_each_row_names_lanes_that_there_are(root: Path) -> None:
    known = {ALL, *everything(root)}
    assert {lane for row in ROWS for lane in row.lanes} <= known


def test_native_lanes_are_the_programs_that_cmake_builds(root: Path) -> None:
    text = (root / "CMakeLists.txt").read_text()
    folders = re.findall(r"^ +ibcc_test_folder\(([\w/]+) ", text, re.MULTILINE)
    assert {f"{Path(folder).name}_test" for folder in folders} == {program_of(lane) for lane in NATIVE}


def test_what_tests_in_c_and_cpp_open_is_read_in_their_sources(root: Path) -> None:
    """Each place that says where the sources are is understood: it names a file, or a folder that a row has."""
    for file in (root / "tests").rglob("*"):
        if file.suffix in (".cc", ".cpp", ".hpp", ".h", ".c"):
            text = file.read_text()
            opened = OPENS.findall(text)
            assert len(opened) == text.count("IBCC_SOURCE_DIR"), file
            for name in opened:
                rows = [row for row in ROWS if row.pattern == f"{name}/*" and row.lanes]
                assert (root / name).is_file() or rows, f"{file} opens {name}"
