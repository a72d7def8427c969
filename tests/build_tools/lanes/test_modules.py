# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports say what a test file depends on, those in functions too, and those that a registry makes by names."""

import ast
from pathlib import Path

import pytest

from build_tools.lanes.modules import default_cache, graph, reached
from build_tools.lanes.rows import DYNAMIC, ENTRY_POINTS
from tests.build_tools.lanes.conftest import write


def needs(root: Path, test: str) -> set[str]:
    found = reached(test, graph(root, default_cache(root)))
    return {name for name in found if not name.startswith("tests/")}


def test_imports_in_functions_count_and_those_for_types_do_not(repository: Path) -> None:
    assert needs(repository, "tests/tuner/test_errors.py") == {"tuner/errors.py"}
    assert "tuner/unused.py" not in needs(repository, "tests/tuner/kinds/test_kinds.py")


def test_conftests_around_a_test_count(repository: Path) -> None:
    found = reached("tests/tuner/test_errors.py", graph(repository, default_cache(repository)))
    assert {"tests/conftest.py", "tests/tuner/conftest.py"} <= found


def test_a_registry_brings_all_modules_of_its_folder(repository: Path) -> None:
    assert {"folder:tuner/kinds", "tuner/kinds/fast.py", "tuner/speed.py"} <= needs(repository, "tests/tuner/kinds/test_kinds.py")


def test_the_command_brings_all_commands(repository: Path) -> None:
    assert {"tuner/cli/run.py", "tuner/kinds/__init__.py"} <= needs(repository, "tests/tuner/cli/test_main.py")


def test_what_has_changed_is_read_again(repository: Path) -> None:
    assert "tuner/unused.py" not in needs(repository, "tests/tuner/test_errors.py")
    write(repository, {"tuner/errors.py": "import tuner.unused", "tuner/kinds/slow.py": ""})
    assert "tuner/unused.py" in needs(repository, "tests/tuner/test_errors.py")
    assert "tuner/kinds/slow.py" in needs(repository, "tests/tuner/kinds/test_kinds.py")


@pytest.mark.long
def test_the_table_names_all_modules_that_import_by_names(root: Path) -> None:
    """What imports a module whose name it computes is seen by no reader of sources."""
    found = set()
    for package in ("api", "tuner", "experiments"):
        for file in (root / package).rglob("*.py"):
            for node in ast.walk(ast.parse(file.read_text())):
                if isinstance(node, ast.Call):
                    name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
                    computed = name == "import_module" and not isinstance(node.args[0], ast.Constant)
                    if computed or name in ("iter_modules", "walk_packages", "entry_points"):
                        found.add(str(file.relative_to(root)))
    assert found == {*DYNAMIC, ENTRY_POINTS}
