# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/inside/architecture.md draws the imports that there are."""

from pathlib import Path

import pytest

from build_tools.architecture import BLOCK, DOCUMENT, diagrams, drawn, redrawn, reduced, top_folders


@pytest.mark.thorough
def test_the_diagrams_are_those_of_the_imports(root: Path) -> None:
    text = DOCUMENT.read_text()
    assert redrawn(text, root) == text, "python -m build_tools.architecture draws it anew"
    assert {name for _, name, _ in BLOCK.findall(text)} == diagrams(root).keys()


@pytest.mark.long
def test_top_folders_point_one_way(root: Path) -> None:
    assert top_folders(root) == {
        "experiments": {"tuner", "ccsim"},
        "api": {"tuner", "ccsim"},
        "tuner": {"ccsim"},
        "ccsim": {"simulator", "ccpolicy"},
        "simulator": {"ccpolicy"},
        "ccpolicy": set(),
        "opensm_plugin": {"ccpolicy"},
        "perftest_mods": set(),
    }


def test_arrows_that_follow_from_others_are_left_out() -> None:
    graph = {"a": {"b", "c", "d"}, "b": {"c"}, "c": {"d"}, "d": set[str](), "e": set[str]()}
    assert reduced(graph) == {"a": {"b"}, "b": {"c"}, "c": {"d"}, "d": set(), "e": set()}
    assert drawn({"a": {"b"}, "b": set(), "e": set()}) == "graph TD\n  a --> b\n  e\n"
