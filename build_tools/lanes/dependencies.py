# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What each lane depends on, and so which a changed file can break."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import PurePosixPath

from build_tools.lanes.modules import FOLDER, Graph, reached
from build_tools.lanes.names import ALL, NATIVE, lane_of
from build_tools.lanes.records import Opened
from build_tools.lanes.rows import DYNAMIC, ENTRY_POINTS, EVERYTHING, FIXTURES, INTERFACE, PROGRAMS, PYTHON, PYTHON_OPENS, rows_of

_COMPILED = re.compile(r"\.[\w-]+\.so$")  # between a module's name and its ending stands for which Python it was compiled
BY_NAME = {*DYNAMIC, ENTRY_POINTS}
"""What these open are modules that somebody else names."""
_INTERFACE = INTERFACE.rpartition("/")[0]
"""Every service looks through it as it starts. Tests that look at pages take a fixture that says so."""


@dataclass
class Needs:
    """What one test file depends on, relative to the root."""

    files: set[str] = field(default_factory=set)
    folders: set[str] = field(default_factory=set)
    """Those that it lists: a file that comes or goes there counts."""
    patterns: set[str] = field(default_factory=set)
    """Patterns of fnmatch for further files."""

    def has(self, file: str, kind: str) -> bool:
        """`kind`: "A", "M" or "D", as git has it."""
        if file in self.files or any(fnmatchcase(file, pattern) for pattern in self.patterns):
            return True
        return kind != "M" and any(str(folder) in self.folders for folder in _around(file))


def _around(file: str) -> Sequence[PurePosixPath]:
    """The folder of a file, and the one around it: a file may come or go with its folder."""
    return PurePosixPath(file).parents[:2]


class Dependencies:
    """`arrows`: what files in Python import. `opened`: what was recorded. `sources`: of what is built, native lanes among it; one
    that was not built here is touched by every change."""

    def __init__(self, tests: Sequence[str], arrows: Graph, opened: Opened, sources: Mapping[str, frozenset[str]]) -> None:
        self._tests = tests
        self._sources = sources
        self._unknown = {lane for lane in NATIVE if lane not in sources}
        self._needs = {test: self._needs_of(test, arrows, opened) for test in tests}

    def _needs_of(self, test: str, arrows: Graph, opened: Opened) -> Needs:
        needs = Needs()
        if test not in opened:
            needs.patterns.add("*")  # nothing is known
        openers = reached(test, arrows)
        for name in openers:
            self._add(needs, "folder" if name.startswith(FOLDER) else "file", name.removeprefix(FOLDER))
            if name not in BY_NAME:
                for kind, what in opened.get(name, ()):
                    if not what.startswith(_INTERFACE):
                        self._add(needs, kind, what)
        return needs

    def _add(self, needs: Needs, kind: str, name: str) -> None:
        if kind == "program":
            if name == PYTHON:
                needs.patterns.update(PYTHON_OPENS)
            elif name in PROGRAMS:
                self._add(needs, "file", PROGRAMS[name])
        elif kind == "fixture":
            if name in FIXTURES:
                self._add(needs, "file", FIXTURES[name])
        elif kind == "folder":
            needs.folders.add(name)
        elif kind == "tree" and name != EVERYTHING:
            needs.patterns.add(f"{name}/*")
        elif name == EVERYTHING:
            needs.patterns.add("*")
        elif name == INTERFACE:
            needs.patterns.add("api/ui/*")
        elif "*" in name:
            needs.patterns.add(name)
        elif (compiled := _COMPILED.sub(".so", name)) in self._sources:
            needs.files |= self._sources[compiled]
        elif name.endswith(".so"):
            needs.patterns.add("*")  # it was not built here
        else:
            needs.files.add(name)

    def broken_by(self, file: str, kind: str) -> set[str]:
        """Lanes and test files in Python that a change can break; `ALL` among them where no rule knows the file, or by a row."""
        found = {test for test, needs in self._needs.items() if needs.has(file, kind)}
        found |= {lane for lane in NATIVE if file in self._sources.get(lane, ())}
        rows = rows_of(file)
        for row in rows:
            for lane in row.lanes:
                found |= {test for test in self._tests if lane_of(test) == lane} or {lane}
        # Tests that depend on every file know none of them.
        knows = rows or {test for test in found if "*" not in getattr(self._needs.get(test), "patterns", ())}
        # Whoever still imports a module that is gone is not found by imports.
        gone = kind == "D" and file.endswith(".py") and not file.rpartition("/")[2].startswith("test_")
        return found | self._unknown if knows and not gone else {ALL}
