# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""In the plugin's sources arrows point one way: a folder includes only those above it in opensm_plugin/README.md, and no files
use each other's functions.

A file uses a function when it names it, be it to call it or to hand it on. An include names the folder, so that a reader sees
the arrow too.
"""

import re
from collections.abc import Mapping
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

FUNCTION = re.compile(r"^(?!static\b)\w[\w *\n]*?\b(\w+)\([^;{}]*?\)\n\{$", re.MULTILINE)
"""The definition of a function that other files can use."""
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)


@pytest.fixture(scope="module")
def sources(root: Path) -> dict[str, str]:
    """The texts of all files without comments, by their paths in opensm_plugin/src."""
    base = root / "opensm_plugin/src"
    files = sorted([*base.rglob("*.[ch]"), *base.rglob("*.inc")])
    return {str(file.relative_to(base)): COMMENT.sub("", file.read_text()) for file in files}


def circle(graph: Mapping[str, set[str]]) -> str:
    """One circle, as a text; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return " <- ".join(error.args[1])
    return ""


def folder(path: str) -> str:
    return path.partition("/")[0]


def test_every_source_is_in_a_folder(sources: Mapping[str, str]) -> None:
    assert not [path for path in sources if path.count("/") != 1]


def test_includes_name_the_folder(sources: Mapping[str, str]) -> None:
    included = {(path, name) for path, text in sources.items() for name in re.findall(r'#include "(.*)"', text)}
    assert not [
        f"{path} includes {name}" for path, name in sorted(included) if name not in sources and not name.startswith("ccpolicy/")
    ]


def test_a_folder_includes_only_those_above_it(sources: Mapping[str, str], root: Path) -> None:
    folders = re.findall(r"^\| `(\w+)/` \|", (root / "opensm_plugin/README.md").read_text(), re.MULTILINE)
    assert sorted(folders) == sorted({folder(path) for path in sources})
    backwards = [
        f"{path} includes {name}"
        for path, text in sources.items()
        for name in re.findall(r'#include "(.*)"', text)
        if name in sources and folders.index(folder(name)) > folders.index(folder(path))
    ]
    assert backwards == []


def test_files_do_not_use_each_other(sources: Mapping[str, str]) -> None:
    by_function = {name: path for path, text in sources.items() for name in FUNCTION.findall(text)}
    graph = {
        path: {by_function[word] for word in re.findall(r"\w+", text) if word in by_function} - {path}
        for path, text in sources.items()
    }
    assert circle({path: used for path, used in graph.items() if path.endswith(".c")}) == ""
    assert len(by_function) > 250


def test_only_one_folder_includes_headers_of_opensm(sources: Mapping[str, str]) -> None:
    assert {folder(path) for path, text in sources.items() if "#include <opensm/" in text} == {"opensm"}
