# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests open is written down, and by whom it is opened; also what a program in Python opens that a test starts."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from build_tools.lanes.records import Opened, lines

pytestmark = pytest.mark.long

CONFTEST = 'pytest_plugins = ["tests.started.opened"]'
HELPER = """
from functools import cache
from pathlib import Path
ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "docs/at-import.md").read_text()
@cache
def kept():
    return (ROOT / "docs/kept.md").read_text()
"""
PRODUCT = """
import importlib
from pathlib import Path
def default():
    return (Path(__file__).parent / "default.yaml").read_text()
def given(path):
    return path.read_text()
def variant():
    return importlib.import_module("tuner.variant")
"""
TEST = """
import os, signal, subprocess, sys
import pytest
from tests.helper import ROOT, kept
from tuner import product

@pytest.fixture
def library():
    pass

def test_reads(tmp_path):
    kept()
    (tmp_path / "outside").write_text("")
    (ROOT / "docs/written.md").write_text("")
    product.default()
    product.given(ROOT / "tests/data.txt")
    product.variant()

def test_lists(library):
    os.listdir(ROOT / "docs")

def test_starts():
    code = "import os, signal; open('docs/child.md'); os.kill(os.getpid(), signal.SIGKILL)"
    subprocess.run([sys.executable, "-c", code], cwd=ROOT)
    subprocess.run(["/bin/true", "--file=docs/given.md", "docs/", str(ROOT / "docs/whole.md")], cwd=ROOT)

def test_starts_one_that_says_nothing():
    subprocess.run([sys.executable, "-c", ""], env={}, cwd=ROOT)
"""
SECOND = """
from tests.helper import kept
def test_has_what_was_kept():
    kept()
"""


@pytest.fixture(scope="module")
def opened(root: Path, tmp_path_factory: pytest.TempPathFactory) -> Opened:
    """What two test files of a small repository open."""
    here = tmp_path_factory.mktemp("repository")
    for folder in ("docs", "tests", "tuner"):
        (here / folder).mkdir()
    for name in ("at-import", "kept", "child", "given", "whole"):
        (here / f"docs/{name}.md").write_text("")
    (here / "pyproject.toml").write_text('[tool.pytest.ini_options]\npythonpath = ["."]\naddopts = "--import-mode=importlib"\n')
    (here / "tests/started").mkdir()
    for name in ("opened.py", "sitecustomize.py"):
        (here / "tests/started" / name).write_text((root / "tests/started" / name).read_text())
    (here / "tests/conftest.py").write_text(CONFTEST)
    (here / "tests/helper.py").write_text(HELPER)
    (here / "tests/data.txt").write_text("")
    (here / "tests/test_first.py").write_text(TEST)
    (here / "tests/test_second.py").write_text(SECOND)
    (here / "tuner/product.py").write_text(PRODUCT)
    (here / "tuner/variant.py").write_text("")
    (here / "tuner/default.yaml").write_text("")
    variables = {name: value for name, value in os.environ.items() if name not in ("TESTS_OPENED", "IBCC_UNCLOSED")}
    variables |= {"IBCC_OPENED_FOLDER": "lines", "PYTHONPATH": str(here / "tests/started")}
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "-p", "no:xdist"]
    done = subprocess.run(command, cwd=here, env=variables, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    return lines(here / "lines")


FIRST = "tests/test_first.py"


def test_a_test_opens_what_it_reads_but_not_what_it_writes(opened: Opened) -> None:
    assert {("file", "tuner/default.yaml"), ("file", "tests/data.txt"), ("file", "docs/kept.md")} <= opened[FIRST]
    assert not any("written" in name or "outside" in name for _, name in opened[FIRST])


def test_what_the_product_or_a_helper_may_keep_is_opened_by_it(opened: Opened) -> None:
    assert ("file", "docs/kept.md") in opened["tests/helper.py"]
    assert ("file", "tuner/default.yaml") in opened["tuner/product.py"]
    assert ("file", "docs/kept.md") not in opened["tests/test_second.py"]  # it was kept; so the line above is needed
    assert ("file", "tests/data.txt") not in opened["tuner/product.py"]  # the test's, which names it


def test_what_is_opened_at_import_is_opened_by_the_module_alone(opened: Opened) -> None:
    assert [opener for opener, found in opened.items() if ("file", "docs/at-import.md") in found] == ["tests/helper.py"]


def test_a_module_that_a_function_imports_is_opened_by_its_file(opened: Opened) -> None:
    assert ("file", "tuner/variant.py") in opened["tuner/product.py"]
    assert ("file", "tuner/product.py") not in opened[FIRST]  # by an import at the top, which is read in the source


def test_folders_and_fixtures_count(opened: Opened) -> None:
    assert {("folder", "docs"), ("fixture", "library"), ("fixture", "tmp_path")} <= opened[FIRST]


def test_what_a_program_opens_counts_though_it_is_killed(opened: Opened) -> None:
    assert ("file", "docs/child.md") in opened[FIRST]


def test_what_a_program_is_given_counts(opened: Opened) -> None:
    given = {("program", "true"), ("file", "docs/given.md"), ("tree", "docs"), ("file", "docs/whole.md")}
    assert given <= opened[FIRST]


def test_a_python_that_says_nothing_is_said(opened: Opened) -> None:
    assert ("program", "python") in opened[FIRST]


def test_a_test_that_opens_nothing_is_known_to_have_run(opened: Opened) -> None:
    assert opened["tests/test_second.py"] == {("file", "tests/test_second.py")}
