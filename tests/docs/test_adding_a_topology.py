# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/inside/adding-a-topology.md shows the file that there is, and tells every check that there is."""

import re
from pathlib import Path

import pytest

from tests.tuner.fabric.topologies.conformance import CHECKS


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/inside/adding-a-topology.md").read_text()


def test_the_file_is_the_one_in_the_tree(page: str, root: Path) -> None:
    (shown,) = re.findall(r"^```python\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    assert shown == (root / "tuner/fabric/topologies/hypercube.py").read_text()


def test_the_checks_are_those_of_the_suite(page: str) -> None:
    assert re.findall(r"^\| `(check_\w+)` \|", page, re.MULTILINE) == [check.__name__ for check in CHECKS]
