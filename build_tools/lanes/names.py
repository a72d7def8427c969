# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lanes by name: a folder of tests in Python, a program of tests in C and C++, and the tests of the web interface.

tests/tuner/checks       tests in Python; of these lanes only the files run that a change can break
native/ccpolicy          a program of the tests in C and C++, without its ending _test
ui                       the tests of the web interface without a browser
"""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

ALL = "all"
"""In place of a lane's name: each of them."""
UI = "ui"
NATIVE = ("native/ccpolicy", "native/simulator", "native/opensm_plugin", "native/opensm_plugin_simulation", "native/meter")


def lane_of(test: str) -> str:
    """The lane of a test file or a node id: tests/FOLDER; in tuner and api, where most tests are, tests/tuner/FOLDER."""
    folders = test.partition("::")[0].split("/")[:-1]
    depth = 3 if folders[1:2] in (["api"], ["tuner"]) else 2
    return "/".join(folders[:depth])


def python_tests(root: Path) -> Sequence[str]:
    """The test files in Python, relative to the root."""
    return sorted(str(file.relative_to(root)) for file in (root / "tests").rglob("test_*.py"))


def python_lanes(tests: Iterable[str]) -> Mapping[str, Sequence[str]]:
    """Test files by lane."""
    found: dict[str, list[str]] = defaultdict(list)
    for test in tests:
        found[lane_of(test)].append(test)
    return dict(sorted(found.items()))


def program_of(lane: str) -> str:
    """The test program of a native lane, as CMakeLists.txt names it."""
    return lane.removeprefix("native/") + "_test"


def repeat_command(lane: str) -> str:
    """What runs this lane alone, whatever has changed."""
    return f"make test LANES={lane}"
