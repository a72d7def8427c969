# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports among Python's top folders, their packages, or their modules.

Imports count wherever they stand, also in functions and under TYPE_CHECKING. Imports that a registry makes by name do
not count: it knows no variant.
"""

import ast
from collections import defaultdict
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import TypeAlias

FOLDERS = {"experiments": ".", "api": ".", "tuner": ".", "ccsim": "simulator/python"}
"""Folder that holds each package, relative to the root, by package."""

Modules: TypeAlias = Mapping[str, Path]
"""File of each module, relative to the root, by dotted name."""
Arrows: TypeAlias = Mapping[str, Mapping[str, set[Path]]]
"""Files that have the imports, by importer and imported name."""


def modules(root: Path, folder: str) -> dict[str, Path]:
    base = root / FOLDERS[folder]
    files = sorted(file for file in (base / folder).rglob("*.py") if "node_modules" not in file.parts)
    return {
        ".".join(file.relative_to(base).with_suffix("").parts).removesuffix(".__init__"): file.relative_to(root) for file in files
    }


def imported(text: str, known: Modules) -> Iterator[str]:
    """Dotted names; of `from tuner.report.plots import style` the module `tuner.report.plots.style`."""
    for module, name in _statements(text):
        whole = f"{module}.{name}"
        yield whole if whole in known else module


@cache  # one question looks at the same files as another
def _statements(text: str) -> tuple[tuple[str, str], ...]:
    """Module and name of each import; the name is empty where a module is imported whole."""
    found: list[tuple[str, str]] = []
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found += ((alias.name, "") for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.module is not None, "imports are absolute"
            assert node.level == 0, "imports are absolute"
            found += ((node.module, alias.name) for alias in node.names)
    return tuple(found)


def arrows(root: Path, known: Modules, depth: int | None) -> Arrows:
    """Returns the imports between names of `depth` parts, 1 for top folders and 2 for packages; None: between modules."""
    found: dict[str, dict[str, set[Path]]] = defaultdict(lambda: defaultdict(set))
    for name, file in known.items():
        for other in imported((root / file).read_text(), known):
            source, target = (".".join(one.split(".")[:depth]) for one in (name, other))
            if source != target:
                found[source][target].add(file)
    return found
