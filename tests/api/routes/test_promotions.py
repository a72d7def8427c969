# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.access.roles import Role
from api.services.users import find_by_name
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service


def asked(client: TestClient, **body: Any) -> Any:
    plan = client.post(f"{FABRIC}/plan", json={"profile": "gran-2010"}).json()
    wanted = {"fabric": "two-switch", "profile": "gran-2010", "version": 1, "plan_digest": plan["digest"], "comment": "yes"}
    return client.post("/api/v1/promotions", json=wanted | body, headers=once())


def base(client: TestClient) -> Any:
    return client.get(f"{FABRIC}/state").json()["base_profile"]["name"]


def with_second_person(service: Service) -> TestClient:
    admin = service.as_role("admin")
    tag = admin.get(FABRIC).headers["ETag"]
    assert admin.patch(FABRIC, json={"second_person": True}, headers={"If-Match": tag}).status_code == 200
    return admin


def test_a_confirmed_plan_becomes_the_base_and_is_rolled_back(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    answer = asked(operator)
    assert answer.status_code == 202, answer.text
    promotion = answer.json()
    assert promotion["state"] == "running"
    assert promotion["plan"]["totals"]["mads"] == 23
    assert run_jobs(service, operator, promotion["job"])["state"] == "done"
    assert operator.get(f"/api/v1/promotions/{promotion['id']}").json()["state"] == "done"
    assert base(operator) == "gran-2010"
    rollback = operator.post(f"{FABRIC}/rollback", headers=once()).json()
    assert run_jobs(service, operator, rollback["id"])["state"] == "done"
    assert base(operator) == "off"


def test_a_promotion_whose_job_is_cancelled_before_it_begins_has_failed(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    promotion = asked(operator).json()
    assert operator.post(f"/api/v1/jobs/{promotion['job']}/cancel").status_code == 202
    ended = operator.get(f"/api/v1/promotions/{promotion['id']}").json()
    assert (ended["state"], ended["problem"]) == ("failed", "it was cancelled")
    log = service.as_role("admin").get("/api/v1/audit").json()["items"]
    assert [entry["action"] for entry in log[:2]] == ["job.cancel", "fabric.promote.failed"]
    assert base(operator) == "off"
    assert asked(operator).status_code == 202


def test_a_plan_that_has_changed_since_it_was_shown_is_refused(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    plan = operator.post(f"{FABRIC}/plan", json={"profile": "gran-2010"}).json()
    job = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2012", "ttl_s": 600}, headers=once()).json()
    run_jobs(service, operator, job["id"])
    answer = asked(operator, plan_digest=plan["digest"])
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/plan-changed"
    assert operator.get("/api/v1/promotions").json()["items"] == []
    assert asked(operator).status_code == 202, "with the plan as it is now, and one's own experiment"


def test_a_second_person_approves_and_never_ones_own(service: Service) -> None:
    with_default_fabric(service)
    with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    promotion = asked(operator).json()
    assert promotion["state"] == "pending"
    assert promotion["job"] is None
    path = f"/api/v1/promotions/{promotion['id']}"
    own = operator.post(f"{path}/approve", json={}, headers=once())
    assert own.status_code == 403
    assert "another operator" in own.json()["detail"]
    assert service.as_role("viewer").post(f"{path}/approve", json={}, headers=once()).status_code == 403
    approved = other.post(f"{path}/approve", json={"comment": "seen"}, headers=once())
    assert approved.status_code == 202, approved.text
    assert approved.json()["decided_by"] == "second"
    run_jobs(service, other, approved.json()["job"])
    assert base(operator) == "gran-2010"
    again = other.post(f"{path}/approve", json={}, headers=once())
    assert again.status_code == 409
    assert "it must be pending" in again.json()["detail"]


def test_the_setting_asks_for_a_second_person_everywhere(service: Service) -> None:
    with_default_fabric(service)
    service.settings.second_person = True
    assert asked(service.as_role("operator")).json()["state"] == "pending"


def test_a_rejected_promotion_does_nothing(service: Service) -> None:
    with_default_fabric(service)
    with_second_person(service)
    operator = service.as_role("operator")
    promotion = asked(operator).json()
    answer = second(service).post(f"/api/v1/promotions/{promotion['id']}/reject", json={"comment": "not now"})
    assert answer.json()["state"] == "rejected"
    assert operator.get("/api/v1/jobs").json()["items"] == []
    assert base(operator) == "off"


def test_an_approval_after_the_fabric_has_changed_is_refused(service: Service) -> None:
    with_default_fabric(service)
    with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    promotion = asked(operator).json()
    job = other.post(f"{FABRIC}/apply", json={"profile": "gran-2012", "ttl_s": 600}, headers=once()).json()
    run_jobs(service, other, job["id"])
    answer = other.post(f"/api/v1/promotions/{promotion['id']}/approve", json={}, headers=once())
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/plan-changed"


def test_what_is_done_is_what_was_confirmed_not_what_the_name_means_later(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    text = "ibcc_profile: 1\nname: mine\nenable: false\n"
    assert operator.post("/api/v1/profiles", json={"name": "mine", "document": text}).status_code == 201
    plan = operator.post(f"{FABRIC}/plan", json={"profile": "mine"}).json()
    promotion = asked(operator, profile="mine", plan_digest=plan["digest"]).json()
    gran = operator.get("/api/v1/profiles/gran-2010").json()["document"].replace("name: gran-2010", "name: mine")
    changed = operator.put("/api/v1/profiles/mine", json={"document": gran}, headers={"If-Match": '"1"'})
    assert changed.status_code == 200, changed.text
    run_jobs(service, operator, promotion["job"])
    held = operator.get(f"{FABRIC}/state").json()["base_profile"]
    assert (held["name"], held["version"]) == ("mine", 1)


def test_promotions_of_other_fabrics_are_not_there_for_a_token(service: Service) -> None:
    with_default_fabric(service)
    promotion = asked(service.as_role("operator")).json()
    other = service.as_role("operator", fabrics=["elsewhere"])
    assert other.get("/api/v1/promotions").json()["items"] == []
    assert other.get(f"/api/v1/promotions/{promotion['id']}").status_code == 404
    assert asked(service.as_role("operator"), fabric="nowhere").status_code == 404


@pytest.mark.parametrize("digest", ["x", "0" * 63, "G" * 64])
def test_a_digest_that_is_none_is_bad_input(calm_service: Service, digest: str) -> None:
    assert asked(calm_service.as_role("operator"), plan_digest=digest).status_code == 422


def second(service: Service) -> TestClient:
    """Another operator."""
    with service.database.reading() as session:
        user = find_by_name(session, "second")
    user_id = user.id if user else service.add_person(Role.OPERATOR, "second")
    client = service.anonymous()
    client.headers["Authorization"] = f"Bearer {service.add_token(user_id, Role.OPERATOR)}"
    return client
