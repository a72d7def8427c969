# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/use/fabrics.md has a row for each kind of topology, with its parameters and its routing."""

import re
from pathlib import Path

import pytest

from tuner.fabric.topologies.base import TOPOLOGIES, Topology


@pytest.fixture(scope="module")
def rows(root: Path) -> dict[str, str]:
    """Rows of the tables, by their first cell."""
    page = (root / "docs/use/fabrics.md").read_text()
    return {match[1]: match[0] for match in re.finditer(r"^\| (.+?) \|.*$", page, re.MULTILINE)}


@pytest.mark.parametrize("kind", TOPOLOGIES.names())
def test_each_kind_has_its_row(rows: dict[str, str], kind: str) -> None:
    topology = TOPOLOGIES.get(kind)
    row = rows[f"`{kind}`"]
    assert all(f"`{name}`" in row for name in topology.own_parameters())
    assert row.endswith(f"| `{topology.suited_routing}` |")


def test_the_common_parameters_have_theirs(rows: dict[str, str]) -> None:
    told = {name for first in rows for name in re.findall("`([a-z_]+)`", first)}
    assert set(Topology.model_fields) <= told


def test_no_row_is_of_a_kind_that_is_not_there(rows: dict[str, str]) -> None:
    told = {first.strip("`") for first, row in rows.items() if row.count("|") == 8 and first.startswith("`")}
    assert told == set(TOPOLOGIES.names())
