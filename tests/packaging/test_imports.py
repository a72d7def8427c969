# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports point one way, as CONTRIBUTING.md has it: between the top folders, and between the packages within `tuner/` and `api/`.

A package is a folder directly under one of these, or a module there. `build_tools/imports.py` says what an import is.
"""

import itertools
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from build_tools.imports import FOLDERS, Arrows, arrows, modules

MAY_IMPORT = {"experiments": {"tuner", "ccsim"}, "api": {"tuner", "ccsim"}, "tuner": {"ccsim"}, "ccsim": set[str]()}
ALONGSIDE = {"benchmarks", "build_tools", "tests"}
"""They may import all of these, and none of these imports them."""


def where(graph: Arrows, source: str, target: str) -> str:
    """A line for each file."""
    return "".join(f"\n  {source} imports {target} in {file}" for file in sorted(graph[source][target]))


def pairs(graph: Arrows) -> list[str]:
    """A text for each two that import each other: both directions, with the files."""
    return [
        f"{one} and {other} import each other:{where(graph, one, other)}{where(graph, other, one)}"
        for one in sorted(graph)
        for other in sorted(graph[one])
        if one < other and one in graph.get(other, {})
    ]


def circle(graph: Arrows) -> str:
    """A text about one circle, however long it is; empty if there is none."""
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        along = error.args[1][::-1]
        steps = (where(graph, one, other) for one, other in itertools.pairwise(along))
        return f"{' → '.join(along)} is a circle:{''.join(steps)}"
    return ""


@pytest.mark.long
@pytest.mark.parametrize("folder", ["tuner", "api"])
def test_no_two_packages_import_each_other(root: Path, folder: str) -> None:
    graph = arrows(root, modules(root, folder), 2)
    assert not pairs(graph), "\n".join(pairs(graph))
    assert not circle(graph), circle(graph)
    assert len(graph) > 10


@pytest.mark.parametrize("folder", FOLDERS)
def test_no_module_imports_its_own_user(root: Path, folder: str) -> None:
    graph = arrows(root, modules(root, folder), None)
    assert not circle(graph), circle(graph)


@pytest.mark.parametrize("folder", FOLDERS)
def test_top_folders_import_only_those_below_them(root: Path, folder: str) -> None:
    known = modules(root, folder)
    assert known
    graph = arrows(root, known, 1)
    wrong = graph[folder].keys() & (FOLDERS.keys() | ALONGSIDE) - MAY_IMPORT[folder]
    assert not wrong, "".join(where(graph, folder, other) for other in sorted(wrong))


def test_imports_count_wherever_they_stand(tmp_path: Path) -> None:
    texts = {
        "tuner/first/a.py": "def f():\n    from tuner.second import b\n",
        "tuner/second/b.py": "if TYPE_CHECKING:\n    from tuner.first.a import f\n",
        "tuner/second/c.py": "import tuner.third\n",
        "tuner/third.py": "from tuner import fourth\n",
        "tuner/fourth/__init__.py": "import tuner.second.c\n",
    }
    for name, text in texts.items():
        file = tmp_path / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    graph = arrows(tmp_path, modules(tmp_path, "tuner"), 2)
    assert pairs(graph) == [
        "tuner.first and tuner.second import each other:\n"
        "  tuner.first imports tuner.second in tuner/first/a.py\n"
        "  tuner.second imports tuner.first in tuner/second/b.py"
    ]
    longer = circle({name: graph[name] for name in ("tuner.second", "tuner.third", "tuner.fourth")})
    assert "tuner.third imports tuner.fourth in tuner/third.py" in longer
    assert "tuner.fourth imports tuner.second in tuner/fourth/__init__.py" in longer
