# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A change has every test run that depends on the file, by whichever rule, and all where no rule knows the file."""

from collections.abc import Iterable

import pytest

from build_tools.lanes.dependencies import Dependencies
from build_tools.lanes.names import ALL, NATIVE, UI
from build_tools.lanes.rows import METER, PLUGIN

TESTS = ["tests/api/test_a.py", "tests/docs/test_b.py", "tests/opensm_plugin/test_c.py", "tests/perftest_mods/test_d.py"]
A, B, C, D = TESTS
ARROWS = {
    A: frozenset({"api/x.py"}),
    B: frozenset({"tests/helper.py"}),
    C: frozenset({"tuner/y.py"}),
    D: frozenset[str](),
    "api/x.py": frozenset({"folder:api/kinds", "tuner/y.py"}),
    "api/kinds/one.py": frozenset[str](),
    "tuner/y.py": frozenset({"simulator/python/ccsim/_ccsim.so"}),
    "tests/helper.py": frozenset[str](),
}
SOURCES = {
    "simulator/python/ccsim/_ccsim.so": frozenset({"simulator/src/engine.cpp"}),
    PLUGIN: frozenset({"opensm_plugin/src/plugin.c"}),
    METER: frozenset({"perftest_mods/meter/src/meter.c"}),
    **{lane: frozenset({f"tests/{lane}_test.cc"}) for lane in NATIVE},
    "native/opensm_plugin": frozenset({"opensm_plugin/src/plugin.c", "tests/opensm_plugin/plugin_test.cc"}),
}


def broken(file: str, kind: str = "M", **opened: Iterable[tuple[str, str]]) -> set[str]:
    """`opened`: what A, B, C, D and the helper H opened."""
    names = {"A": A, "B": B, "C": C, "D": D, "H": "tests/helper.py"}
    lines = {names[name]: frozenset(opened.get(name, ())) for name in names}
    return Dependencies(TESTS, ARROWS, lines, SOURCES).broken_by(file, kind)


def test_by_imports() -> None:
    assert broken("tuner/y.py") == {A, C}
    assert broken("api/kinds/one.py") == {A}
    assert broken(A) == {A}


def test_by_what_was_opened_by_the_test_or_by_a_helper() -> None:
    assert broken("docs/x.md", A=[("file", "docs/x.md")], H=[("file", "docs/x.md")]) == {A, B}


def test_by_the_compiler_s_files() -> None:
    assert broken("simulator/src/engine.cpp") == {A, C}
    assert broken("opensm_plugin/src/plugin.c", C=[("fixture", "library")], B=[("program", "opensm")]) == {
        B,
        C,
        "native/opensm_plugin",
    }
    assert broken("tests/opensm_plugin/plugin_test.cc") == {"native/opensm_plugin"}


def test_by_a_folder_that_is_listed_where_a_file_comes_or_goes() -> None:
    listed = [("folder", "docs/plots")]
    assert broken("docs/plots/new.svg", "A", B=listed) == {B}
    assert broken("docs/plots/old.svg", "D", B=listed) == {B}
    assert broken("docs/plots/changed.svg", "M", B=listed) == {ALL}  # somebody opens it, but nobody said so
    assert broken("api/kinds/two.py", "A") == {A}


def test_by_a_folder_that_a_program_is_given() -> None:
    assert broken("configs/x/y.yaml", B=[("tree", "configs/x")]) == {B, UI}


def test_who_starts_a_python_that_says_nothing_depends_on_all_of_the_product() -> None:
    assert broken("experiments/x.py", B=[("program", "python")]) == {B}


def test_who_starts_git_depends_on_everything() -> None:
    assert broken("tuner/y.py", B=[("program", "git")]) == {A, B, C}


def test_by_rows() -> None:
    assert broken("api/ui/src/page.tsx", A=[("fixture", "built")]) == {A, UI}
    # A service that starts lists its pages, and no test of it depends on them.
    assert broken("api/ui/src/page.tsx", A=[("file", "api/ui/dist/assets/page.js"), ("folder", "api/ui/dist")]) == {UI}
    assert broken("docs/never-opened.md") == set()
    assert broken("perftest_mods/agent/agent.py") == {D}
    assert ALL in broken("Makefile")


@pytest.mark.parametrize(
    ("file", "kind"), [("nobody/knows.it", "M"), ("nobody/knows.it", "A"), ("tuner/gone.py", "D"), ("tuner/new.py", "A")]
)
def test_a_file_that_no_rule_knows_runs_all(file: str, kind: str) -> None:
    assert broken(file, kind) == {ALL}
    # Who depends on whatever file changes, knows none.
    assert broken(file, kind, B=[("program", "git")]) == {ALL}


def test_a_test_of_which_nothing_is_recorded_always_runs() -> None:
    opened = dict.fromkeys([A, C, D], frozenset[tuple[str, str]]())
    assert Dependencies(TESTS, ARROWS, opened, SOURCES).broken_by("tuner/y.py", "M") == {A, B, C}


def test_a_native_lane_that_was_not_built_here_always_runs() -> None:
    opened = dict.fromkeys(TESTS, frozenset[tuple[str, str]]())
    without = {name: sources for name, sources in SOURCES.items() if name != "native/simulator"}
    assert Dependencies(TESTS, ARROWS, opened, without).broken_by("tuner/y.py", "M") == {A, C, "native/simulator"}


def test_who_loads_what_was_not_built_here_always_runs() -> None:
    lines = {**dict.fromkeys(TESTS, frozenset[tuple[str, str]]()), C: frozenset({("fixture", "library")})}
    without = {name: sources for name, sources in SOURCES.items() if name != PLUGIN}
    assert C in Dependencies(TESTS, ARROWS, lines, without).broken_by("api/kinds/one.py", "M")
