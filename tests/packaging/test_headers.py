# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Files in C and C++ include what they use, so that releases of C++'s library whose headers bring less along take them too."""

import os
import re
import subprocess
import sysconfig
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pybind11
import pytest

from tests.packaging.cpp_includes import BRINGS, Sources, search_path


@pytest.fixture(scope="module")
def sources(root: Path) -> Sources:
    return Sources(root)


def missing(sources: Sources) -> Iterator[str]:
    """A sentence for each header that a file uses and neither it nor what it includes of ours names."""
    for file in sources:
        included = sources.others_headers(file)
        for name in sorted(sources.std_names(file)):
            if name not in BRINGS:
                yield f"{file} uses std::{name}: HEADERS in tests/packaging/cpp_includes.py must say which header has it"
            elif not BRINGS[name] & included:
                yield f"{file} uses std::{name} and must include {' or '.join(f'<{one}>' for one in sorted(BRINGS[name]))}"


@pytest.mark.long
def test_each_file_names_the_headers_of_the_library_that_it_uses(sources: Sources) -> None:
    found = list(missing(sources))
    assert not found, "\n".join(found)


def test_a_header_that_only_another_header_of_the_library_brings_is_missed(tmp_path: Path) -> None:
    folder = tmp_path / "simulator/src"
    folder.mkdir(parents=True)
    (folder / "a.hpp").write_text("#include <string>  // std::map\ninline std::string Text() { return {}; }\n")
    (folder / "b.cpp").write_text('#include "a.hpp"\nconst std::string text = "std::set";\nint x = std::copy_n(a, 1, b);\n')
    assert list(missing(Sources(tmp_path))) == ["simulator/src/b.cpp uses std::copy_n and must include <algorithm>"]


def stands_first(sources: Sources) -> set[str]:
    """Headers that a source of the product includes before all others: who compiles that compiles them alone."""
    compiled = [file for file in sources if file.endswith((".c", ".cpp")) and not file.startswith("tests/")]
    return {included[0] for file in compiled if (included := sources.included(file))}


def chains(sources: Sources, headers: list[str]) -> list[list[str]]:
    """The headers in rows in which each includes the one before it, itself or through others: whoever includes a row in its order
    has before each header only what that includes anyway."""
    rows: list[list[str]] = []
    closures = {header: sources.ours(header) for header in headers}
    for header in sorted(headers, key=lambda one: len(closures[one])):
        fitting = [row for row in rows if row[-1] in closures[header]]
        if fitting:
            max(fitting, key=lambda row: len(closures[row[-1]])).append(header)
        else:
            rows.append([header])
    return rows


def command(header: str) -> list[str]:
    """How the compiler takes such a file, as the CMakeLists.txt and setup.py have it."""
    folders = [f"-I{folder}" for folder in search_path(header)]
    if header.endswith(".h"):
        meter = ["-D_GNU_SOURCE"] if header.startswith("perftest_mods") else []
        return ["cc", "-std=gnu11", "-x", "c", *meter, "-isystem", "/usr/include/infiniband", *folders]
    python = ["-isystem", pybind11.get_include(), "-isystem", sysconfig.get_path("include")]
    return ["c++", "-std=c++20", "-x", "c++", *python, *folders]


COMMON = (
    "algorithm",
    "array",
    "bit",
    "cstdint",
    "functional",
    "map",
    "memory",
    "optional",
    "set",
    "span",
    "stdexcept",
    "string",
    "vector",
)
"""Headers of the library that most of ours include. They take most of the time, and precompiled a tenth of it."""


def precompiled(folder: Path, name: str, headers: Iterable[str]) -> tuple[Path, str]:
    """A header for `-include` that brings the others, and what the compiler has said of it."""
    path = folder / name
    path.write_text("".join(f"#include <{header}>\n" for header in headers))
    words = ["c++", "-std=c++20", "-x", "c++-header", str(path), "-o", f"{path}.gch"]
    return path, subprocess.run(words, check=False, capture_output=True, text=True).stderr


@pytest.mark.slow
def test_each_header_compiles_alone(sources: Sources, root: Path, tmp_path: Path) -> None:
    """But for those which the build compiles so. What is missing of the precompiled headers, the first test finds."""
    plain, said = precompiled(tmp_path, "plain.hpp", COMMON)
    with_gtest, said_of_gtest = precompiled(tmp_path, "with_gtest.hpp", (*COMMON, "gtest/gtest.h"))

    def output(row: list[str]) -> str:
        brought = ["-include", str(with_gtest if row[-1].startswith("tests/") else plain)] if row[-1].endswith(".hpp") else []
        compiled = subprocess.run(
            [*command(row[-1]), *brought, "-fsyntax-only", "-Wall", "-Werror", "-"],
            cwd=root,
            input="".join(f'#include "{root / header}"\n' for header in row),
            check=False,
            capture_output=True,
            text=True,
        )
        return compiled.stderr

    alone = stands_first(sources)
    headers = [file for file in sources if file.endswith((".h", ".hpp")) and file not in alone]
    rows = [row for kind in (".h", ".hpp") for row in chains(sources, [header for header in headers if header.endswith(kind)])]
    with ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        found = "".join([said, said_of_gtest, *pool.map(output, rows)])
    absent = sorted({name for name in re.findall(r"fatal error: (\S+): No such file", found) if f"<{name}>" in sources.others})
    if absent and not os.environ.get("CI"):
        pytest.skip(f"not installed: {', '.join(absent)}; build_tools/debian_packages.sh test, plugin and meter bring them")
    assert not found, found
