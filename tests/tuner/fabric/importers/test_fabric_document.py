# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabric documents, imported as they are."""

import json
from pathlib import Path

import pytest

from tuner.documents import catalogue
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric


@pytest.mark.parametrize("name", catalogue.names("fabric"))
def test_what_comes_with_ibcc_comes_in(name: str) -> None:
    imported = import_fabric(catalogue.find("fabric", name), name=name)
    assert (imported.format, imported.fabric) == ("fabric document", load_fabric(name))


def test_service_levels_survive_the_text(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text(
        "ibcc_fabric: 1\nname: x\nmtu_bytes: 2048\nhosts: [{name: a}, {name: b}]\nlinks: [{a: a/1, b: b/1, rate: 4xNDR}]\n"
        f"sl_to_vl: {{vls: {[1] * 16}, overrides: [{{node: a, out_port: 1, vls: {[0] * 16}}}]}}\n"
        "vl_arbitration: {high: [{vl: 0, weight: 4}], low: [{vl: 1, weight: 0}], high_limit: 3}\n"
    )
    imported = import_fabric(file, mtu_bytes=4096)
    assert imported.notes == ("the document's own MTU of 2048 bytes holds",)
    assert imported.fabric.sl_to_vl is not None
    again = tmp_path / "again.yaml"
    again.write_text(fabric_text(imported.fabric))
    assert load_fabric(again) == imported.fabric


def test_json_is_a_document_too(tmp_path: Path) -> None:
    file = tmp_path / "x.json"
    file.write_text(json.dumps({"ibcc_fabric": 1, "name": "other", "mtu_bytes": 4096, "switches": [{"name": "S", "ports": 2}]}))
    assert import_fabric(file).fabric.name == "x"


def test_errors_have_their_line(tmp_path: Path) -> None:
    file = tmp_path / "x.yaml"
    file.write_text("ibcc_fabric: 1\nname: x\nmtu_bytes: 1500\n")
    with pytest.raises(BadInputError, match=r"x\.yaml:3"):
        import_fabric(file)
