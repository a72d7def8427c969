# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""setup.py and CMakeLists.txt build the same sources, those of the OpenSM plugin, of the meter and of benchmarks
apart, which CMake alone builds."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

LIST = """
import setuptools
setuptools.setup = lambda **arguments: None
import setup
print(*setup.CCPOLICY, *setup.SIMULATOR, sep="\\n")
"""


@pytest.mark.long
def test_setup_and_cmake_compile_the_same_files(root: Path, tmp_path: Path) -> None:
    listed = subprocess.run([sys.executable, "-c", LIST], cwd=root, check=True, capture_output=True, text=True).stdout
    by_setup = {(root / line).resolve() for line in listed.splitlines()}

    environment = os.environ | {"PATH": f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"}
    subprocess.run(
        ["cmake", "--preset", "dev", "-B", str(tmp_path), "-DIBCC_TESTS=OFF"],
        cwd=root,
        env=environment,
        check=True,
        capture_output=True,
    )
    commands = json.loads((tmp_path / "compile_commands.json").read_text())
    files = {Path(c["file"]).resolve() for c in commands}
    apart = {root / folder for folder in ("opensm_plugin", "perftest_mods", "benchmarks")}
    by_cmake = {file for file in files if "libyaml" not in file.parent.name and not apart & set(file.parents)}

    assert by_setup == by_cmake
    assert len(by_setup) > 5
