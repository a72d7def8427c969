# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The one file that knows NVIDIA's OpenSM compiles against a stand-in for its headers, which are not ours to keep.

docs/inside/plugin-internals.md has the command that compiles the whole plugin against the real ones.
"""

import os
import re
import subprocess
from pathlib import Path

WARNINGS = ("-Wall", "-Wextra", "-Wshadow", "-Werror")


def test_it_finds_what_nvidias_opensm_has_elsewhere(root: Path, tmp_path: Path) -> None:
    sources, stub = root / "opensm_plugin/src", root / "tests/opensm_plugin/nvidia_opensm"
    program = tmp_path / "flavor"
    compiler = os.environ.get("CC", "cc")
    files = [sources / "opensm/flavor.c", stub / "flavor_main.c"]
    subprocess.run(
        [compiler, "-std=gnu11", *WARNINGS, "-isystem", stub, "-I", sources, *files, "-o", program],
        check=True,
    )
    told = subprocess.run([program], check=True, capture_output=True, text=True).stdout
    assert told.splitlines() == ["3 0 0", "1 0x1234", "ar_updn unknown none"]


def test_no_other_file_uses_what_differs(root: Path) -> None:
    differs = re.compile(r"IBCC_NVIDIA_OPENSM|subn\.sm_state\b|opt\.congestion_control|opt\.guid|->routing_engine_used")
    using = {path.stem for path in (root / "opensm_plugin/src/opensm").glob("*.[ch]") if differs.search(path.read_text())}
    assert using == {"flavor"}
