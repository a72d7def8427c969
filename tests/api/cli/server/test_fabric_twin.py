# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric twin` against a service that runs."""

import json
from pathlib import Path

import pytest

from tests.api.cli.server.conftest import Ibcc
from tests.api.import_service import PAIR
from tests.api.service import Service


@pytest.mark.long
def test_the_service_makes_a_twin_and_its_report_is_written(
    ibcc_server: Ibcc, served_service: tuple[Service, str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    token = served_service[0].as_role("admin").headers["Authorization"].removeprefix("Bearer ")
    monkeypatch.setenv("IBCC_TOKEN", token)
    file = tmp_path / "pair.txt"
    file.write_text(PAIR)
    one = json.loads(ibcc_server("fabric", "import", str(file), "--output", "json"))
    assert "note: " in ibcc_server("fabric", "twin", one["id"], "--import")
    ibcc_server("fabric", "keep", one["id"], "pair")
    shown = json.loads(ibcc_server("fabric", "twin", "pair", "--last", "--json", "--report", str(tmp_path / "twin.html")))
    assert (shown["fabric"], shown["state"], shown["version"]) == ("pair", "ready", 1)
    assert (tmp_path / "twin.html").read_text().startswith("<!DOCTYPE html>")
