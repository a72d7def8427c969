# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL check`, against a service that runs."""

import json
from collections.abc import Callable
from datetime import date
from pathlib import Path

import pytest

from tests.api.check_service import DOCUMENT, made_up
from tests.api.fabric_service import with_default_fabric
from tests.api.service import Service

Ibcc = Callable[..., str]

pytestmark = pytest.mark.long


def test_a_check_from_its_creation_to_its_baseline(
    ibcc_server: Ibcc, served_service: tuple[Service, str], tmp_path: Path
) -> None:
    service, _ = served_service
    with_default_fabric(service)
    document = tmp_path / "site.yaml"
    document.write_text(DOCUMENT)
    assert json.loads(ibcc_server("check", "create", "site", str(document)))["fabric"] == "two-switch"
    planned = json.loads(ibcc_server("check", "schedule", "site", "--at", "02:17", "--zone", "Europe/Oslo"))
    assert planned["schedule"]["zone"] == "Europe/Oslo"
    assert ibcc_server("check", "run", "site") == "site: pass: learning: 1 of 5 nights\n"
    listed = ibcc_server("check", "list")
    assert "site" in listed
    assert "pass" in listed
    assert "learning: 1 of 5 nights" in ibcc_server("check", "nights", "site")
    made_up(service, [1.0] * 6, first=date(2026, 1, 1))
    assert len(json.loads(ibcc_server("check", "accept", "site", "--from", "2026-01-01", "--to", "2026-01-06"))["nights"]) == 6
    assert json.loads(ibcc_server("check", "accept", "site", "--last", "5"))["former"]["nights"] == 6
    assert len(json.loads(ibcc_server("check", "undo-accept", "site"))["nights"]) == 6
    assert json.loads(ibcc_server("check", "night", "site", "2026-01-03"))["in_baseline"]
    assert json.loads(ibcc_server("check", "metrics", "site"))["items"]
    assert json.loads(ibcc_server("check", "schedule", "site", "--off"))["next_run"] is None
    assert ibcc_server("check", "answers", "site", "--output", "json") == "[]\n"


def test_the_exit_codes_are_those_of_the_command_without_a_service(
    ibcc_server: Ibcc, served_service: tuple[Service, str]
) -> None:
    service, _ = served_service
    with_default_fabric(service)
    ibcc_server("check", "create", "site", "--template", "quick")
    made_up(service, [1.0] * 6, first=date(2026, 1, 1))
    ibcc_server("check", "accept", "site", "--last", "6")
    ibcc_server("check", "run", "site", "--strict", code=1)  # metrics that the baseline has not
    assert "There is no check 'other'." in ibcc_server("check", "run", "other", code=2)
    assert "give either --at HH:MM or --off" in ibcc_server("check", "schedule", "site", code=2)
    assert "must be a date such as" in ibcc_server("check", "night", "site", "today", code=2)
