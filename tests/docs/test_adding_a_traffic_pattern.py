# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What docs/inside/adding-a-traffic-pattern.md shows is what is there."""

import re
from pathlib import Path

import pytest


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/inside/adding-a-traffic-pattern.md").read_text()


def test_the_file_is_shown_as_it_is(page: str, root: Path) -> None:
    (shown,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown == (root / "tuner/documents/patterns/permutation.py").read_text()


def test_the_tests_that_it_names_are_all_of_the_suite(page: str, root: Path) -> None:
    suite = (root / "tests/tuner/documents/patterns/test_conformance.py").read_text()
    of_examples = re.findall(r"^(?:@of_every_kind|@pytest.mark.parametrize.*)\ndef (test_\w+)\(", suite, re.MULTILINE)
    named = re.findall(r"^\| `(test_\w+)(…?)` \|", page, re.MULTILINE)
    assert len(of_examples) == len(named) == 10
    for test, (name, cut) in zip(of_examples, named, strict=True):
        assert test.startswith(name) if cut else test == name


def test_the_files_that_it_names_exist(page: str, root: Path) -> None:
    files = re.findall(r"^\| `([\w/.]+\.\w+)` \|", page, re.MULTILINE)
    assert len(files) == 3
    assert [file for file in files if not (root / file).is_file()] == []
