# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The maps of the tuner are right: its README lists the folders in the order of imports, its internals name what there is."""

import ast
import re
from pathlib import Path

import pytest

from build_tools.imports import arrows, modules

ROW = re.compile(r"^\| .* \| `((?:tuner|api)/[\w/]+\.py)` \| (.*) \|$", re.MULTILINE)


def rows_of_readme(root: Path) -> list[str]:
    return re.findall(r"^\| `(\w+)(?:/|\.py)` \|", (root / "tuner/README.md").read_text(), re.MULTILINE)


def test_the_readme_lists_all_folders(root: Path) -> None:
    there = {path.stem for path in (root / "tuner").iterdir() if path.suffix == ".py" or (path / "__init__.py").exists()}
    assert set(rows_of_readme(root)) == there - {"__init__"}


@pytest.mark.long
def test_a_folder_imports_only_what_stands_above_it(root: Path) -> None:
    order = [f"tuner.{name}" for name in rows_of_readme(root)]
    graph = arrows(root, modules(root, "tuner"), 2)
    for place, name in enumerate(order):
        below = {other for other in graph.get(name, {}) if other in order and order.index(other) > place}
        assert not below, f"{name} imports {', '.join(sorted(below))}, which tuner/README.md lists below it"


def test_the_steps_name_files_and_functions_that_there_are(root: Path) -> None:
    found = ROW.findall((root / "docs/inside/tuner-internals.md").read_text())
    assert len(found) > 25
    for file, names in found:
        known = names_in(ast.parse((root / file).read_text()))
        for name in re.findall(r"`([\w.]+)`", names):
            assert name in known, f"{file} has no {name}"


def names_in(module: ast.Module) -> set[str]:
    """Functions, classes and methods, these with their class."""
    known = set()
    for node in module.body:
        if isinstance(node, ast.FunctionDef | ast.ClassDef):
            known.add(node.name)
        if isinstance(node, ast.ClassDef):
            known |= {f"{node.name}.{one.name}" for one in node.body if isinstance(one, ast.FunctionDef)}
    return known
