# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests opened in former runs, which tests/started/opened.py wrote down: kept in build/lanes/opened.json.

A test file that ran whole replaces what was known of it; one that ran in part adds to it.
"""

import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import TypeAlias

Opened: TypeAlias = Mapping[str, frozenset[tuple[str, str]]]
"""Kind and name of what each file opens: "file", "folder" (listed), "tree" (handed to a program), "program" or "fixture"."""


def new_folder(root: Path) -> Path:
    """Where the run that begins writes its lines: empty."""
    folder = root / "build/lanes/opened"
    folder.mkdir(parents=True, exist_ok=True)
    for file in folder.glob("*.tsv"):
        file.unlink()
    return folder


def known(root: Path) -> Opened:
    """Empty where nothing is known."""
    try:
        kept = json.loads(_file(root).read_text("utf-8"))
    except (OSError, ValueError):
        return {}
    return {opener: frozenset((kind, name) for kind, name in lines) for opener, lines in kept.items()}


def lines(folder: Path) -> Opened:
    """What was written into a folder. A line that a killed process did not write whole is passed over."""
    found: dict[str, set[tuple[str, str]]] = {}
    for file in folder.glob("*.tsv"):
        for line in file.read_text("utf-8", "surrogateescape").splitlines():
            words = line.split("\t")
            if len(words) == 3:
                found.setdefault(words[0], set()).add((words[1], words[2]))
    return {opener: frozenset(opened) for opener, opened in found.items()}


def keep(root: Path, ran_whole: Iterable[str]) -> None:
    """Adds the lines of the run that has ended to what is known. `ran_whole`: test files of which all tests ran."""
    merged = dict(known(root))
    for test in ran_whole:
        merged.pop(test, None)
    for opener, opened in lines(root / "build/lanes/opened").items():
        merged[opener] = merged.get(opener, frozenset()) | opened
    there = {opener: sorted(opened) for opener, opened in sorted(merged.items()) if (root / opener).exists()}
    _file(root).write_text(json.dumps(there, indent=0), encoding="utf-8", errors="surrogateescape")


def _file(root: Path) -> Path:
    return root / "build/lanes/opened.json"
