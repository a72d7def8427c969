# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws docs/inside/architecture.md's diagrams from the imports: `python -m build_tools.architecture`.

An arrow means that one imports or includes the other. One that follows from others (a → b → c) is left out, but for those between
top folders.
"""

import re
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import TypeAlias

from build_tools.imports import FOLDERS, arrows, modules

ROOT = Path(__file__).resolve().parents[1]
DOCUMENT = ROOT / "docs/inside/architecture.md"

Graph: TypeAlias = Mapping[str, set[str]]

C_FOLDERS = {
    "ccsim": "simulator/python/bindings",
    "simulator": "simulator/src",
    "ccpolicy": "ccpolicy",
    "opensm_plugin": "opensm_plugin/src",
    "perftest_mods": "perftest_mods",
}
"""Folder of the sources in C and C++, by top folder or by the Python package that is made of them."""
INCLUDED_FROM = {"simulator": "simulator/src", "ccpolicy": "ccpolicy/include", "opensm_plugin": "opensm_plugin/src"}
"""Folder below which the paths in `#include "…"` begin, by top folder."""
LABELS = {"ccsim": "ccsim (simulator/python)"}

RUNTIME = """\
  tuner -. control socket .-> opensm_plugin
  tuner -. starts on hosts .-> perftest_mods
  opensm([OpenSM]) -. loads .-> opensm_plugin
  opensm -. MADs .-> simulator
  browser([browser, REST clients]) -. HTTP .-> api
"""
"""Parts that meet at run time only, so that no import shows it."""

_INCLUDE = re.compile(r'^\s*#\s*include "([^"]+)"', re.MULTILINE)
BLOCK = re.compile(r"(<!-- drawn: (\w+) -->\n+```mermaid\n).*?(```\n)", re.DOTALL)


def top_folders(root: Path) -> Graph:
    graph: dict[str, set[str]] = {}
    for folder in FOLDERS:
        graph[folder] = set(arrows(root, modules(root, folder), 1)[folder]) & FOLDERS.keys()
    for folder, place in C_FOLDERS.items():
        files = [file for file in (root / place).rglob("*") if file.suffix in (".c", ".h", ".cpp", ".hpp")]
        own = {
            str(file.relative_to(parent))
            for file in files
            for parent in file.parents
            if (root / place) in (parent, *parent.parents)
        }
        paths = {path for file in files for path in _INCLUDE.findall(file.read_text(encoding="utf-8"))} - own
        found = {other for other, base in INCLUDED_FROM.items() if any((root / base / path).exists() for path in paths)}
        graph[folder] = graph.get(folder, set()) | (found - {folder})
    return graph


def packages(root: Path, folder: str) -> Graph:
    """The folders directly under a top folder."""
    names = {f"{folder}.{path.parent.name}" for path in (root / FOLDERS[folder] / folder).glob("*/__init__.py")}
    found = arrows(root, modules(root, folder), 2)
    return {
        name.removeprefix(f"{folder}."): {other.removeprefix(f"{folder}.") for other in found.get(name, {}) if other in names}
        for name in sorted(names)
    }


def reduced(graph: Graph) -> Graph:
    """Without the arrows that follow from others. The graph has no circles."""

    def reached(name: str) -> set[str]:
        return {name}.union(*(reached(other) for other in graph.get(name, ())))

    return {
        name: {other for other in others if not any(other in reached(between) for between in others - {other})}
        for name, others in graph.items()
    }


def drawn(graph: Graph, more: str = "") -> str:
    lines = [f'  {name}["{label}"]' for name, label in LABELS.items() if name in graph]
    lines += [f"  {name} --> {other}" for name in sorted(graph) for other in sorted(graph[name])]
    alone = graph.keys() - {one for name, others in graph.items() if others for one in (name, *others)}
    lines += [f"  {name}" for name in sorted(alone)]
    return "\n".join(["graph TD", *lines, ""]) + more


def diagrams(root: Path) -> dict[str, str]:
    return {
        "top": drawn(top_folders(root), RUNTIME),
        "tuner": drawn(reduced(packages(root, "tuner"))),
        "api": drawn(reduced(packages(root, "api"))),
    }


def redrawn(text: str, root: Path) -> str:
    """The page with today's diagrams."""
    by_name = diagrams(root)
    return BLOCK.sub(lambda match: f"{match[1]}{by_name[match[2]]}{match[3]}", text)


def main() -> None:
    old = DOCUMENT.read_text(encoding="utf-8")
    DOCUMENT.write_text(new := redrawn(old, ROOT), encoding="utf-8")
    print("drawn" if new != old else "as before", file=sys.stderr)


if __name__ == "__main__":
    main()
