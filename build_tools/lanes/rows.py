# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What neither imports nor compilers' files nor records of opened files tell: tables of it.

A file that changes, that no row names and that no test is known to depend on, has all lanes run.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase

from build_tools.lanes.names import ALL, UI


@dataclass(frozen=True)
class Row:
    """`lanes` run when a file that matches changes, besides those that are known to depend on it. `pattern`: of fnmatch, in which
    `*` goes across folders."""

    pattern: str
    lanes: Sequence[str]
    reason: str


NOBODY: Sequence[str] = ()

ROWS = (
    # How tests are built and run.
    Row("Makefile", [ALL], "it runs everything"),
    Row("pyproject.toml", [ALL], "it configures pytest and names what is installed"),
    Row("constraints.txt", [ALL], "it names the versions of what is installed"),
    Row("setup.py", [ALL], "it compiles what all tests load"),
    Row("MANIFEST.in", ["tests/packaging"], "it says what a source archive holds"),
    Row("CMakeLists.txt", [ALL], "it compiles the tests in C and C++, and the plugin and the meter"),
    Row("*/CMakeLists.txt", [ALL], "as the one at the root"),
    Row("CMakePresets.json", [ALL], "as CMakeLists.txt"),
    Row("build_tools/*.sh", [ALL], "scripts build and run the tests"),
    Row("build_tools/libyaml.txt", [ALL], "it is compiled into what all tests load"),
    Row("build_tools/lanes/*", [ALL], "it chooses what runs"),
    Row("tests/conftest.py", [ALL], "all tests in Python use it, and it says which run"),
    Row("debian/*", ["tests/packaging"], "dpkg-buildpackage reads it"),
    # Tests in C and C++ open these while they run.
    Row("tests/ccpolicy/corpus/*", ["native/ccpolicy"], "reader_test.cc reads these files"),
    # The tests of the web interface, which no process of Python runs.
    Row("api/ui/*", [UI], "vitest imports the pages"),
    Row("tests/api/ui/*.ts", [UI], "vitest's tests"),
    Row("tests/api/ui/*.tsx", [UI], "vitest's tests"),
    Row("configs/*", [UI], "vitest's tests read shipped documents"),
    Row("tuner/document*/*", [UI], "vitest's tests read the schemas that are made from it"),
    # The virtual machine reads the host's files, and programs in it read the meter and the agent.
    Row("perftest_mods/*", ["tests/perftest_mods"], "programs in a virtual machine load it"),
    # Fuzzers are other programs, which `make fuzz` runs.
    Row("tests/*/fuzz_*.cc", NOBODY, "`make fuzz` compiles it"),
    Row("tests/*/corpus/*", NOBODY, "fuzzers begin with it; tests that read it are known"),
    # What people and linters read. Tests that compare it with the sources open it, and are known by that.
    Row("*.md", NOBODY, "prose"),
    Row("docs/images/*", NOBODY, "pictures"),
    Row("LICENSE*", NOBODY, "tests of packages are known to read it"),
    Row("benchmarks/*", NOBODY, "nothing but linters reads it, unless a test is known to"),
    Row(".ci/*", NOBODY, "it runs all lanes anyway"),
    Row(".clang-format", NOBODY, "of a linter"),
    Row(".clang-tidy", NOBODY, "of a linter"),
    Row(".editorconfig", NOBODY, "of editors"),
    Row(".gitignore", NOBODY, "of git"),
    Row(".githooks/*", NOBODY, "git runs it; its test is known to"),
    Row(".mdformat.toml", NOBODY, "of a linter"),
    Row(".pre-commit-config.yaml", NOBODY, "of a linter"),
    Row("*/.clang-format", NOBODY, "of a linter"),
    Row("tests/mutants/*", NOBODY, "`make mutants` reads it; the test beside it is known to"),
)


def rows_of(file: str) -> list[Row]:
    """The rows that name a file, relative to the root."""
    return [row for row in ROWS if fnmatchcase(file, row.pattern)]


EVERYTHING = "."
"""As a dependency: whatever file changes."""
PLUGIN = "build/plugin/libibcc.so"
METER = "build/meter/libibcc_meter.so"
INTERFACE = "api/ui/dist/index.html"

FIXTURES = {
    "library": PLUGIN,
    "meter": METER,
    "built": INTERFACE,
    "rxe_vm": METER,
    "wheel": EVERYTHING,
    "packages": EVERYTHING,
}
"""What a test depends on that takes the fixture: what is built and no process of Python opens, or what is built from the whole
repository."""

PROGRAMS = {
    "opensm": PLUGIN,
    "qemu-system-x86_64": METER,
    "git": EVERYTHING,
    "make": EVERYTHING,
    "cmake": EVERYTHING,
    "npm": "api/ui/*",
    "node": "api/ui/*",
}
"""What a test depends on that starts the program: OpenSM loads what is built, git looks at all files."""

PYTHON = "python"
"""The program of a test that starts a Python which does not say what it opens."""
PYTHON_OPENS = ("api/*.py", "configs/*", "experiments/*", "perftest_mods/agent/*", "simulator/python/*", "tuner/*")
"""What such a Python may open."""

DYNAMIC = {
    "api/server/app.py": "api/routes",
    "api/database/models/__init__.py": "api/database/models",
    "tuner/registry.py": "",
}
"""Modules that import all modules of a folder by their names. A Registry names its folder where it is made, and is read there."""

READ_AS_TEXT = {"perftest_mods/agent/join.py": "perftest_mods/agent"}
"""Modules that make one text of all modules of a folder."""

ENTRY_POINTS = "tuner/cli/main.py"
"""Loads commands by the entry points in pyproject.toml."""
