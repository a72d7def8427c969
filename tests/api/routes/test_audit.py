# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The audit log over the API."""

import csv
from datetime import timedelta

import pytest

from api.access.audit import record_audit
from api.access.principal import Principal
from api.access.roles import Role
from api.base.times import now, rfc3339
from tests.api.service import Service


def add(service: Service, action: str, fabric: str | None = None, actor: str = "anna", object: str = "profile off") -> None:
    with service.database.writing() as session:
        who = Principal(user_id="1", username=actor, role=Role.OPERATOR, via="session", address="192.0.2.1")
        record_audit(session, who, action, object, fabric=fabric, detail={"ttl_s": 60})


def actions(service: Service, query: str, fabrics: list[str] | None = None) -> list[str]:
    answer = service.as_role("operator", fabrics).get(f"/api/v1/audit{query}")
    assert answer.status_code == 200, answer.text
    return [entry["action"] for entry in answer.json()["items"]]


def test_the_log_is_filtered(any_service: Service) -> None:
    for action, fabric, actor in (("fabric.apply", "a", "anna"), ("fabric.restore", "b", "bert"), ("fabricx.y", None, "anna")):
        add(any_service, action, fabric, actor)
    assert actions(any_service, "") == ["fabricx.y", "fabric.restore", "fabric.apply"]
    assert actions(any_service, "?action=fabric") == ["fabric.restore", "fabric.apply"]
    assert actions(any_service, "?action=fabric.apply") == ["fabric.apply"]
    assert actions(any_service, "?action=fabric%25") == []
    assert actions(any_service, "?actor=ANNA&fabric=a") == ["fabric.apply"]
    later = rfc3339(now() + timedelta(minutes=1))
    assert actions(any_service, f"?since={later}") == []
    assert len(actions(any_service, f"?until={later}")) == 3
    assert actions(any_service, "", fabrics=["b"]) == ["fabric.restore"]


def test_all_of_it_as_a_file(any_service: Service) -> None:
    add(any_service, "fabric.apply", "a", object="=cmd|' /C calc'!A0")
    for _ in range(60):  # more than a page
        add(any_service, "fabric.verify", "a")
    answer = any_service.as_role("operator").get("/api/v1/audit?format=csv&fabric=a")
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.headers["Content-Disposition"] == 'attachment; filename="audit.csv"'
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert len(rows) == 61
    assert rows[-1]["object"].startswith("'=")
    assert rows[-1]["detail"] == "ttl_s=60"
    assert rows[-1]["address"] == "192.0.2.1"


def test_a_viewer_does_not_read_it(service: Service) -> None:
    assert service.as_role("viewer").get("/api/v1/audit").status_code == 403


@pytest.mark.long
def test_nothing_changes_or_removes_entries(service: Service) -> None:
    operations = service.app.openapi()["paths"]
    assert {method for path, item in operations.items() if path.startswith("/api/v1/audit") for method in item} == {"get"}
