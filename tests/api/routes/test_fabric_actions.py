# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from dataclasses import replace
from typing import Any

import pytest
from fastapi.testclient import TestClient
from sqlalchemy import delete

from api.database.models.profile import ProfileVersion
from api.fabric_drivers.simulated import SimulatedFabric
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service


def state(service: Service) -> Any:
    return service.as_role("viewer").get(f"{FABRIC}/state").json()


def apply(service: Service, client: TestClient, **body: Any) -> dict[str, Any]:
    answer = client.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 600} | body, headers=once())
    assert answer.status_code == 202, answer.text
    assert answer.headers["Location"] == f"/api/v1/jobs/{answer.json()['id']}"
    return run_jobs(service, client, answer.json()["id"])


def test_a_plan_is_shown_to_a_viewer_and_changes_nothing(calm_service: Service) -> None:
    viewer = calm_service.as_role("viewer")
    answer = viewer.post(f"{FABRIC}/plan", json={"profile": "gran-2010"})
    assert answer.status_code == 200, answer.text
    plan = answer.json()
    assert plan["totals"] == {"devices": 9, "mads": 23, "unknown": 0}
    assert sum(device["mads"] for device in plan["devices"]) == 23
    assert plan["current"]["name"] == "off"
    assert plan["current"]["version"] == 1
    assert plan["wanted"]["name"] == "gran-2010"
    assert state(calm_service)["active_profile"]["name"] == "off"


def test_an_experiment_is_told_of_and_restored(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    job = apply(service, operator)
    assert job["state"] == "done", job
    assert job["result"]["good"] is True
    now = state(service)
    assert now["active_profile"]["name"] == "gran-2010"
    assert now["active_profile"]["version"] == 1
    assert now["base_profile"]["name"] == "off"
    assert now["experiment"]["owner"].startswith("operator")
    assert now["experiment"]["ends_at"].endswith("Z")
    answer = operator.post(f"{FABRIC}/restore", headers=once())
    assert run_jobs(service, operator, answer.json()["id"])["state"] == "done"
    assert state(service)["experiment"] is None
    actions = [entry["action"] for entry in operator.get("/api/v1/audit", params={"fabric": "two-switch"}).json()["items"]]
    assert actions[:4] == ["fabric.restore.done", "fabric.restore", "fabric.apply.done", "fabric.apply"]


def test_somebody_elses_experiment_is_in_the_way_and_the_holder_is_named(service: Service) -> None:
    with_default_fabric(service)
    apply(service, service.as_role("operator"))
    admin = service.as_role("admin")
    for path, body in (("apply", {"profile": "off", "ttl_s": 5}), ("rollback", None)):
        answer = admin.post(f"{FABRIC}/{path}", json=body, headers=once())
        assert answer.status_code == 409
        assert "operator, through the ibcc service has a trial run of profile 'gran-2010'" in answer.json()["detail"]
        assert answer.json()["type"] == "/problems/busy"
    assert admin.post(f"{FABRIC}/restore", headers=once()).status_code == 202, "restoring is always in reach"


def test_a_second_job_waits_for_nobody_it_is_refused(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    first = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 60}, headers=once()).json()
    answer = operator.post(f"{FABRIC}/verify", headers=once())
    assert answer.status_code == 409
    assert first["id"] in answer.json()["detail"]


def test_the_same_request_again_is_done_once(service: Service) -> None:
    with_default_fabric(service)
    operator, key = service.as_role("operator"), once()
    body = {"profile": "gran-2010", "ttl_s": 60}
    first = operator.post(f"{FABRIC}/apply", json=body, headers=key)
    again = operator.post(f"{FABRIC}/apply", json=body, headers=key)
    assert again.status_code == 202
    assert again.json()["id"] == first.json()["id"]
    other = operator.post(f"{FABRIC}/apply", json=body | {"ttl_s": 61}, headers=key)
    assert other.status_code == 409
    assert other.json()["type"] == "/problems/key-reused"
    assert len(operator.get("/api/v1/jobs").json()["items"]) == 1


@pytest.mark.parametrize("path", ["apply", "ask-devices", "verify", "restore", "rollback"])
def test_what_touches_a_fabric_needs_a_key_and_an_operator(calm_service: Service, path: str) -> None:
    body = {"profile": "gran-2010", "ttl_s": 60} if path == "apply" else None
    assert calm_service.as_role("operator").post(f"{FABRIC}/{path}", json=body).status_code == 400
    assert calm_service.as_role("viewer").post(f"{FABRIC}/{path}", json=body, headers=once()).status_code == 403
    other = calm_service.as_role("operator", fabrics=["elsewhere"])
    assert other.post(f"{FABRIC}/{path}", json=body, headers=once()).status_code == 403
    missing = calm_service.as_role("operator").post(f"/api/v1/fabrics/nowhere/{path}", json=body, headers=once())
    assert missing.status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "word"),
    [
        ({"profile": "no-such", "ttl_s": 60}, 404, "no-such"),
        ({"profile": "gran-2010", "version": 2, "ttl_s": 60}, 404, "version 2"),
        ({"profile": "gran-2010", "ttl_s": 0}, 422, "ttl_s"),
        ({"profile": "gran-2010"}, 422, "ttl_s"),
        ({"profile": "../etc", "ttl_s": 60}, 422, "profile"),
    ],
)
def test_what_makes_no_sense_changes_nothing(calm_service: Service, body: dict[str, Any], status: int, word: str) -> None:
    operator = calm_service.as_role("operator")
    answer = operator.post(f"{FABRIC}/apply", json=body, headers=once())
    assert answer.status_code == status, answer.text
    assert word in answer.json()["detail"]
    assert operator.get("/api/v1/jobs").json()["items"] == []


def test_without_a_base_nothing_is_tried(calm_service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    present = SimulatedFabric.state
    monkeypatch.setattr(SimulatedFabric, "state", lambda fabric: replace(present(fabric), base=None))
    operator = calm_service.as_role("operator")
    answer = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 60}, headers=once())
    assert answer.status_code == 422, answer.text
    assert answer.json()["detail"] == (
        "ttl_s: fabric 'two-switch' has no base profile to which a trial run could return after 60 s; a promotion would be right."
    )
    assert operator.get("/api/v1/jobs").json()["items"] == []


def test_verify_says_that_all_is_right(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    answer = operator.post(f"{FABRIC}/verify", headers=once())
    job = run_jobs(service, operator, answer.json()["id"])
    assert job["result"]["good"] is True
    assert job["result"]["devices"]["applied"] == 9


def test_simulated_devices_are_not_asked_and_the_refusal_says_why(calm_service: Service) -> None:
    operator = calm_service.as_role("operator")
    answer = operator.post(f"{FABRIC}/ask-devices", headers=once())
    assert answer.status_code == 409
    assert answer.json()["detail"] == "Fabric 'two-switch' is simulated, so its document says which attributes devices have."
    assert operator.get("/api/v1/jobs").json()["items"] == []


def test_a_rollback_shows_its_plan_before_and_does_it(service: Service) -> None:
    with_default_fabric(service)
    operator, viewer = service.as_role("operator"), service.as_role("viewer")
    none = viewer.get(f"{FABRIC}/rollback-plan")
    assert (none.status_code, none.json()["detail"]) == (
        409, "Fabric 'two-switch' has no base profile before 'off' to roll back to."
    )  # fmt: skip
    document = operator.get("/api/v1/profiles/gran-2010").json()["document"].replace("name: gran-2010", "name: mine")
    operator.post("/api/v1/profiles", json={"name": "mine", "document": document})
    for profile in ("mine", "gran-2012"):
        plan = operator.post(f"{FABRIC}/plan", json={"profile": profile}).json()
        body = {"fabric": "two-switch", "profile": profile, "version": 1, "plan_digest": plan["digest"]}
        made = operator.post("/api/v1/promotions", json=body, headers=once()).json()
        assert run_jobs(service, operator, made["job"])["state"] == "done"
    shown = viewer.get(f"{FABRIC}/rollback-plan").json()
    assert (shown["current"]["name"], shown["wanted"]["name"], shown["wanted"]["version"]) == ("gran-2012", "mine", 1)
    asked = viewer.post(f"{FABRIC}/plan", json={"profile": "mine"}).json()
    assert (shown["devices"], shown["totals"], shown["digest"]) == (asked["devices"], asked["totals"], asked["digest"])
    with service.database.writing() as session:
        session.execute(delete(ProfileVersion).where(ProfileVersion.profile == "mine"))
    unknown = viewer.get(f"{FABRIC}/rollback-plan").json()
    assert (unknown["wanted"]["name"], unknown["wanted"]["version"]) == ("mine", None), "a fabric may have it from elsewhere"
    assert unknown["totals"] == shown["totals"]
    rolled = operator.post(f"{FABRIC}/rollback", headers=once()).json()
    assert run_jobs(service, operator, rolled["id"])["state"] == "done"
    assert state(service)["base_profile"]["name"] == "mine"


def test_rolling_back_without_a_former_base_fails_with_a_sentence(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    answer = operator.post(f"{FABRIC}/rollback", headers=once())
    job = run_jobs(service, operator, answer.json()["id"])
    assert job["state"] == "failed"
    assert "no base profile before 'off'" in job["problem"]
    entries = operator.get("/api/v1/audit", params={"action": "fabric.rollback.failed"}).json()["items"]
    assert entries[0]["detail"]["problem"] == job["problem"]


def test_a_cancelled_experiment_does_not_stay(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    job = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 60}, headers=once()).json()
    assert operator.post(f"/api/v1/jobs/{job['id']}/cancel").json()["state"] == "cancelled"
    assert run_jobs(service, operator, job["id"])["state"] == "cancelled"
    assert state(service)["active_profile"]["name"] == "off"
