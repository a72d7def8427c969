# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paths of this tree that pages and messages name are there, and so are the headings that links name."""

import functools
import os
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
FOLDERS = (
    *(".ci", ".github", "api", "benchmarks", "build_tools", "ccpolicy", "configs", "debian", "docs", "experiments"),
    *("opensm_plugin", "perftest_mods", "simulator", "tests", "tuner"),
)
NOT_TEXT = {".gz", ".png", ".pyc", ".so", ".svg", ".woff2"}
MADE = {"node_modules", "dist", "__pycache__", "man", "schemas", "schema.d.ts"}
OF_OTHER_TREES = ("tests/build_tools/lanes", "tests/started/test_opened.py", "tests/docs/test_paths.py")
"""Tests that make a tree of their own and name what is in it."""

PAGE = re.compile(r"(?<![\w./-])docs/[\w./-]+?\.(?:md|svg|png)\b")
CODE = re.compile(r"`((?:[a-z_]+/)+[\w.-]+\.(?:c|cc|cpp|h|hpp|json|md|patch|py|sh|tsx?|tsv|yaml))`")
LINK = re.compile(r"\]\(([^)\s#]*)#([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```$", re.MULTILINE | re.DOTALL)
WERE = "## Where pages were"


def files() -> Iterator[Path]:
    """Those of the root and of the folders, but none that others wrote or that are made."""
    yield from (file for file in ROOT.iterdir() if file.is_file())
    for top in FOLDERS:
        for folder, folders, names in os.walk(ROOT / top):
            folders[:] = [name for name in folders if name not in MADE]
            yield from (Path(folder, name) for name in names if name not in MADE)


@functools.cache
def texts(kind: str = "") -> list[tuple[Path, str]]:
    """Files with what is in them, without the table of where pages were. `kind`: a suffix; empty: all that is text."""
    found = []
    for file in sorted(files()):
        name = str(file.relative_to(ROOT))
        is_one = file.suffix == kind if kind else file.suffix not in NOT_TEXT
        if is_one and not name.startswith(OF_OTHER_TREES):
            found.append((file, file.read_text(encoding="utf-8", errors="replace").partition(WERE)[0]))
    return found


def pages() -> list[Path]:
    return [file for file, _ in texts(".md")]


def slug(heading: str) -> str:
    """A heading's anchor, by the rule of the sites that show Markdown."""
    plain = re.sub(r"\[([^]]*)\]\([^)]*\)", r"\1", heading)
    return re.sub(r"[^\w\- ]", "", plain.lower()).replace(" ", "-")


def anchors(page: Path) -> set[str]:
    return {slug(heading) for heading in re.findall(r"^#+ (.+?)\s*$", FENCED.sub("", page.read_text()), re.MULTILINE)}


def test_every_page_that_is_named_is_there() -> None:
    """In sources, comments, settings and pages alike."""
    found = [(file.relative_to(ROOT), name) for file, text in texts() for name in PAGE.findall(text)]
    assert len(found) > 250
    assert {str(file) for file, _ in found} > {"Makefile", "debian/ibcc-host.docs", "tuner/twin/twin.py"}
    assert [f"{file}: {name}" for file, name in found if not (ROOT / name).exists()] == []


def test_every_source_that_a_page_names_is_there() -> None:
    """By its path from the root, or from the page's folder; names in capitals are for the reader to choose."""
    found = [
        (file, name)
        for file, text in texts(".md")
        for name in CODE.findall(text)
        if name.partition("/")[0] in FOLDERS and MADE.isdisjoint(name.split("/"))
    ]
    assert len(found) > 250
    assert [
        f"{file.relative_to(ROOT)}: {name}"
        for file, name in found
        if not re.search("NAME|GROUP|AGENT|KIND", name) and not (ROOT / name).exists() and not (file.parent / name).exists()
    ] == []


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_the_headings_that_links_name_are_there(page: Path) -> None:
    dead = [
        f"{name}#{anchor}"
        for name, anchor in LINK.findall(FENCED.sub("", page.read_text()))
        if "://" not in name and anchor not in anchors((page.parent / name) if name else page)
    ]
    assert dead == []


def test_each_page_has_a_row_in_the_index() -> None:
    index = (ROOT / "docs/index.md").read_text().partition(WERE)[0]
    named = set(re.findall(r"\]\(([\w/-]+\.md)\)", index))
    there = {str(page.relative_to(ROOT / "docs")) for folder in ROOT.joinpath("docs").iterdir() for page in folder.glob("*.md")}
    assert there - named == {page for page in there if page.startswith("decisions/0")}
