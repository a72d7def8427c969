# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What compiled files are made from, as compilers and ninja wrote it down when they made them."""

import re
import shlex
import subprocess
from collections.abc import Iterable, Mapping
from functools import cache
from pathlib import Path

from build_tools.lanes.names import NATIVE, program_of
from build_tools.lanes.rows import METER, PLUGIN

NATIVE_MODULE = "simulator/python/ccsim/_ccsim.so"
UMAD_CLASSES = "simulator/python/ccsim/_umad_classes.so"


PRESETS = ("installed", "asan", "dev")
"""Of CMakePresets.json, with which the tests in C and C++ are built: from the same sources."""


def sources(root: Path) -> Mapping[str, frozenset[str]]:
    """Sources of ours by what is built: the native module, the plugin, the meter, and each test program by its lane. What is not
    built here is missing."""
    found = {}
    objects = _of_setup(root)
    if objects:
        found[NATIVE_MODULE] = frozenset(objects)
        found[UMAD_CLASSES] = frozenset(name for name in objects if name.startswith("simulator/client/"))
    for name, folder, target in ((PLUGIN, "plugin", "ibcc"), (METER, "meter", "ibcc_meter")):
        if read := _of_ninja(root, root / "build" / folder, target):
            found[name] = frozenset(read)
    for lane in NATIVE:
        reads = (_of_ninja(root, root / "build" / preset, program_of(lane)) for preset in PRESETS)
        if read := next(filter(None, reads), set[str]()):
            # The preset `installed` links the objects of the simulator that setup.py makes.
            found[lane] = frozenset(read | (objects if lane == "native/simulator" else set()) | _opened(root, read))
    return found


def _of_setup(root: Path) -> set[str]:
    """From the rules that the compiler leaves beside the objects (-MMD)."""
    found: set[str] = set()
    for rule in (root / "build").glob("python-*/**/*.d"):
        text = rule.read_text("utf-8").replace("\\\n", " ").partition(":")[2]
        found |= _ours(root, shlex.split(text), root)
    return found


def _of_ninja(root: Path, folder: Path, target: str) -> set[str]:
    if not (folder / "build.ninja").exists():
        return set()
    inputs = _ninja(root, folder, "inputs", target).split("\n")
    headers = _headers(root, folder)
    found = _ours(root, inputs, folder)
    for name in inputs:
        found |= headers.get(name.strip(), frozenset())
    return found


@cache
def _headers(root: Path, folder: Path) -> Mapping[str, frozenset[str]]:
    """What each object was compiled from, by its name in ninja's."""
    found = {}
    for block in _ninja(root, folder, "deps").split("\n\n"):
        first, *lines = block.splitlines() or [""]
        found[first.partition(":")[0]] = frozenset(_ours(root, lines, folder))
    return found


def _ninja(root: Path, folder: Path, *words: str) -> str:
    """Empty where ninja does not know the target: what it is made with is not installed."""
    done = subprocess.run(
        [root / ".venv/bin/ninja", "-C", folder, "-t", *words],
        capture_output=True,
        text=True,
        stdin=subprocess.DEVNULL,
        check=False,
    )
    return done.stdout if done.returncode == 0 else ""


def _ours(root: Path, names: Iterable[str], base: Path) -> set[str]:
    """Those in the repository, relative to its root; what was built is not."""
    found = set()
    for name in names:
        path = (base / name.strip()).resolve()
        if path.is_relative_to(root) and path.is_file():
            inside = path.relative_to(root)
            if inside.parts[0] not in ("build", ".venv"):
                found.add(str(inside))
    return found


OPENS = re.compile(r'IBCC_SOURCE_DIR\)?\s*[+/]?\s*"/?([^"]+)"')


def _opened(root: Path, names: Iterable[str]) -> set[str]:
    """Files that the tests among these sources open while they run: each names IBCC_SOURCE_DIR before it. What stands in a folder
    that they list is a row of rows.py."""
    tests = [root / name for name in names if name.startswith("tests/")]
    return {opened for test in tests for opened in OPENS.findall(test.read_text("utf-8")) if (root / opened).is_file()}
