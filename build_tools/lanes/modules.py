# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What each file in Python imports, wherever in it, and so what a test file depends on by imports, directly or through others.

Imports under TYPE_CHECKING do not count: nothing runs by them. A registry imports all modules of a folder by their names: the
package that it is made with tells which.
"""

import ast
import json
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TypeAlias

from build_tools.lanes.rows import DYNAMIC, ENTRY_POINTS, READ_AS_TEXT

PACKAGES = {
    "api": "api",
    "benchmarks": "benchmarks",
    "build_tools": "build_tools",
    "ccsim": "simulator/python/ccsim",
    "experiments": "experiments",
    "ibcc_agent": "perftest_mods/agent",
    "ibcc_configs": "configs",
    "tests": "tests",
    "tuner": "tuner",
}
"""Folder by the name that it is imported by."""

FOLDER = "folder:"
"""Before the name of a folder whose modules are imported whatever they are."""

Graph: TypeAlias = Mapping[str, frozenset[str]]
"""What each file imports: files, and folders with `FOLDER` before their names. All relative to the root."""


def graph(root: Path, cache: Path) -> Graph:
    """Reads all files in Python. `cache` keeps what was read of files that have not changed."""
    try:
        kept = json.loads(cache.read_text("utf-8"))
    except (OSError, ValueError):
        kept = {}
    files = {
        str(file.relative_to(root)): file
        for folder in PACKAGES.values()
        for file in sorted((root / folder).rglob("*.py"))
        if "node_modules" not in file.parts
    }
    read: dict[str, tuple[list[int], list[str]]] = {}
    for name, file in files.items():
        stat = file.stat()
        stamp = [stat.st_mtime_ns, stat.st_size]
        known: tuple[list[int], list[str]] | None = kept.get(name)
        read[name] = known if known is not None and known[0] == stamp else (stamp, sorted(_names(file.read_text("utf-8"), name)))
    if read != kept:
        cache.parent.mkdir(parents=True, exist_ok=True)
        cache.write_text(json.dumps(read), encoding="utf-8")
    commands = sorted(set(_entry_points(root)))
    arrows = {}
    for name, (_, imported) in read.items():
        found: set[str] = set()
        for dotted in [*imported, *(commands if name == ENTRY_POINTS else [])]:
            found.update(_files(dotted, files, root))
        if folder := {**DYNAMIC, **READ_AS_TEXT}.get(name):
            found.add(FOLDER + folder)
        if name.startswith("tests/"):
            found.update(_conftests(name, files))
        arrows[name] = frozenset(found - {name})
    return arrows


def reached(start: str, arrows: Graph) -> frozenset[str]:
    """The file itself and all that it imports, directly or through others; folders with `FOLDER` before their names."""
    found: set[str] = set()
    ahead = [start]
    while ahead:
        name = ahead.pop()
        if name in found:
            continue
        found.add(name)
        if name.startswith(FOLDER):
            folder = name.removeprefix(FOLDER) + "/"
            ahead.extend(file for file in arrows if file.startswith(folder) and _is_variant(file, folder))
        else:
            ahead.extend(arrows.get(name, ()))
    return frozenset(found)


def _is_variant(file: str, folder: str) -> bool:
    """Whether it is a module or a package right in the folder: what `pkgutil.iter_modules` finds."""
    below = file.removeprefix(folder).split("/")
    return len(below) == 1 or (len(below) == 2 and below[1] == "__init__.py")


def _conftests(test: str, files: Mapping[str, Path]) -> Iterator[str]:
    folders = test.split("/")[:-1]
    for depth in range(1, len(folders) + 1):
        name = "/".join([*folders[:depth], "conftest.py"])
        if name in files:
            yield name


def _files(dotted: str, files: Mapping[str, Path], root: Path) -> Iterator[str]:
    """The file of a module, or of that which has this name, and those of the packages around it; of what is compiled its name."""
    if dotted.startswith(FOLDER):
        package, _, rest = dotted.removeprefix(FOLDER).partition(".")
        yield FOLDER + "/".join([PACKAGES[package], *filter(None, [rest.replace(".", "/")])])
        return
    package, *below = dotted.split(".")
    if package not in PACKAGES:
        return
    for depth in range(len(below) + 1):
        path = "/".join([PACKAGES[package], *below[:depth]])
        if (whole := f"{path}/__init__.py") in files:
            yield whole
        elif (module := f"{path}.py") in files:
            yield module
            return
    for compiled in root.glob(f"{PACKAGES[package]}/*.so"):
        if below and compiled.name.startswith(below[0] + "."):
            yield f"{PACKAGES[package]}/{below[0]}.so"


def _entry_points(root: Path) -> Iterator[str]:
    project = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))["project"]
    for group in (project["scripts"], *project["entry-points"].values()):
        yield from (target.partition(":")[0] for target in group.values())


def _names(text: str, file: str) -> set[str]:
    """Dotted names that a source imports; of `from tuner.report import plots` both `tuner.report` and `tuner.report.plots`."""
    found: set[str] = set()
    ahead: list[ast.AST] = [ast.parse(text, file)]
    while ahead:
        node = ahead.pop()
        if isinstance(node, ast.Import):
            found.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.module is None or node.level:
                raise ValueError(f"{file}:{node.lineno} imports relatively; imports are absolute here")
            found.update(f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            ahead.extend(node.orelse)
            continue
        elif isinstance(node, ast.Call):
            found.update(_of_call(node))
        ahead.extend(ast.iter_child_nodes(node))
    return found


_IMPORTING = {"import_module", "importorskip", "run_module", "files", "setattr"}
"""Functions whose first argument may be a module's dotted name, or that of something in it."""


def _of_call(node: ast.Call) -> Iterator[str]:
    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
    texts = [argument.value for argument in node.args if isinstance(argument, ast.Constant) and isinstance(argument.value, str)]
    if name in _IMPORTING and texts:
        yield texts[0]
    elif name == "Registry" and len(node.args) == 2 and len(texts) == 2:
        yield FOLDER + texts[1]


def default_cache(root: Path) -> Path:
    return root / "build/lanes/imports.json"
