# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL fabric diagnose` against a service that runs."""

import json

import pytest

from tests.api.cli.server.conftest import Ibcc
from tests.api.service import Service
from tuner.cli.main import run


def test_a_hotspot_is_told_and_kept(
    ibcc_server: Ibcc, served_service: tuple[Service, str], capsys: pytest.CaptureFixture[str]
) -> None:
    def diagnosed(*arguments: str) -> tuple[int, str]:
        code = run(["--server", served_service[1], "fabric", "diagnose", "two-switch", *arguments])
        return code, capsys.readouterr().out

    assert json.loads(ibcc_server("fabric", "diagnose", "two-switch", "--last", "--json"))["last"] is None
    assert "has no traffic of its own; name a workload" in ibcc_server("fabric", "diagnose", "two-switch", code=2)
    asked = ("--workload", "scenario-1", "--usual-version", "1", "--time-scale", "0.02")
    code, printed = diagnosed(*asked)
    lines = printed.splitlines()
    assert code == 1
    assert lines[0].startswith("More is sent to host H5 than fits: a hotspot")
    assert lines[-1].startswith("Next step for H5: ibcc profile suggest")
    code, document = diagnosed("--last", "--json")
    shown = json.loads(document)["last"]
    assert (code, shown["diagnosis"]["sentence"], shown["workload"]) == (1, lines[0], "scenario-1")
