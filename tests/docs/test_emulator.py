# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""docs/use/emulator.md has every kind of fault with its parameters, and every method of the control socket."""

import re
from pathlib import Path

import pytest

import ccsim
from tuner.emulator.methods.base import METHODS


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs/use/emulator.md").read_text()


def test_every_kind_of_fault_has_a_row(page: str) -> None:
    section = page.split("## Faults")[1].split("\n## ")[0]
    rows = {match[1]: match[0] for match in re.finditer(r"^\| `([a-z-]+)` \|.*$", section, re.MULTILINE)}
    kinds = {kind["name"]: kind for kind in ccsim.fault_kinds()}
    assert set(rows) == set(kinds)
    for name, kind in kinds.items():
        assert [own["name"] for own in kind["parameters"] if f"`{own['name']}`" not in rows[name]] == []


def test_every_method_has_a_row_with_its_parameters(page: str) -> None:
    section = page.split("## The control socket")[1]
    rows = [line for line in section.splitlines() if line.startswith("| `")]
    told = {name: row for row in rows for name in re.findall(r"`([a-z.]+)`", row.split("|")[1])}
    assert set(told) == {*METHODS.names(), "hello"}
    shorthand = {"guid", "node", "parameters"}  # {guid|node}, and the kind's own
    for name in METHODS.names():
        fields = {field.alias or key for key, field in METHODS.get(name).params.model_fields.items()} - shorthand
        assert [key for key in fields if f"`{key}`" not in told[name]] == []
