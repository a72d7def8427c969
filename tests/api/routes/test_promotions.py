# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.access.roles import Role
from api.database.models.promotion import Promotion
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
    promoted(service, operator, "gran-2012")
    answer = asked(operator, plan_digest=plan["digest"])
    assert answer.status_code == 409
    assert answer.json()["type"] == "/problems/plan-changed"
    assert [one["profile"] for one in operator.get("/api/v1/promotions").json()["items"]] == ["gran-2012"]
    assert asked(operator).status_code == 202, "with the plan as it is now"


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


def test_a_plan_during_a_trial_run_is_from_the_base_with_what_is_sent_now_beside_it(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    without = operator.post(f"{FABRIC}/plan", json={"profile": "gran-2010"}).json()
    assert without["now"] is None
    tried(service, operator, "gran-2010")
    during = operator.post(f"{FABRIC}/plan", json={"profile": "gran-2010"}).json()
    assert during | {"now": None} == without
    assert during["now"]["totals"] == {"devices": 0, "mads": 0, "unknown": 0}
    assert during["now"]["devices"] == []
    assert (during["current"]["name"], during["now"]["current"]["name"]) == ("off", "gran-2010")


def test_a_promotion_asked_for_during_ones_trial_run_is_approved_and_ends_that_run(service: Service) -> None:
    with_default_fabric(service)
    with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    tried(service, operator, "gran-2010")
    promotion = asked(operator).json()
    assert promotion["plan"]["totals"]["mads"] == 23
    assert promotion["plan"]["now"]["totals"]["mads"] == 0
    approved = other.post(f"/api/v1/promotions/{promotion['id']}/approve", json={}, headers=once())
    assert approved.status_code == 202, approved.text
    assert run_jobs(service, other, approved.json()["job"])["state"] == "done"
    state = operator.get(f"{FABRIC}/state").json()
    assert (state["base_profile"]["name"], state["experiment"]) == ("gran-2010", None)
    assert state["former_profile"]["name"] == "off", "the trial run was no base"
    log = service.as_role("admin").get("/api/v1/audit").json()["items"]
    (entry,) = [one for one in log if one["action"] == "promotion.approve"]
    assert entry["detail"]["ended"] == "gran-2010"
    assert entry["detail"]["owner"].startswith(promotion["created_by"])
    rollback = operator.post(f"{FABRIC}/rollback", headers=once()).json()
    run_jobs(service, operator, rollback["id"])
    asker = promotion["created_by"]
    told = [one["text"] for one in operator.get("/api/v1/events/kept").json()["items"]]
    assert [one for one in told if asker in one] == [
        f"{asker} rolled back: profile off is the base of 9 devices again",
        f"{asker} promoted profile gran-2010 version 1, as second approved: it is the base of 9 devices now",
        f"{asker} asks for approval: profile gran-2010 version 1 is to be the base, which changes 9 devices",
        f"{asker} began a trial run of profile gran-2010 version 1 on 9 devices, for 10 min",
    ]


@pytest.mark.parametrize("when", ["before the trial run", "during it, which has ended since"])
def test_a_trial_run_between_asking_and_approving_changes_nothing(service: Service, when: str) -> None:
    with_default_fabric(service)
    with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    if when.startswith("before"):
        promotion = asked(operator).json()
        tried(service, operator, "gran-2012")
    else:
        tried(service, operator, "gran-2012")
        promotion = asked(operator).json()
        restore = operator.post(f"{FABRIC}/restore", headers=once()).json()
        run_jobs(service, operator, restore["id"])
    approved = other.post(f"/api/v1/promotions/{promotion['id']}/approve", json={}, headers=once())
    assert approved.status_code == 202, approved.text
    run_jobs(service, other, approved.json()["job"])
    state = operator.get(f"{FABRIC}/state").json()
    assert (state["base_profile"]["name"], state["experiment"]) == ("gran-2010", None)


def test_a_third_persons_trial_run_is_waited_for(service: Service) -> None:
    with_default_fabric(service)
    admin = with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    promotion = asked(operator).json()
    tried(service, admin, "gran-2012")
    path = f"/api/v1/promotions/{promotion['id']}"
    answer = other.post(f"{path}/approve", json={}, headers=once())
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/busy")
    assert other.get(path).json()["state"] == "pending"


def test_another_base_makes_a_promotion_outdated_and_it_is_asked_for_again(service: Service) -> None:
    with_default_fabric(service)
    admin = with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    promotion = asked(operator, comment="cures the victims").json()
    path = f"/api/v1/promotions/{promotion['id']}"
    service_wide = other.post(f"{path}/repeat", headers=once())
    assert service_wide.status_code == 409, "it is not outdated"
    between = asked(operator, profile="gran-2012", plan_digest=digest(operator, "gran-2012")).json()
    approved = other.post(f"/api/v1/promotions/{between['id']}/approve", json={}, headers=once()).json()
    run_jobs(service, other, approved["job"])

    outdated = other.get(path).json()
    assert (outdated["state"], outdated["needs"]) == ("outdated", None)
    assert outdated["problem"] == "the base was 'off' when it was asked for, and the base is 'gran-2012' now"
    assert outdated["actions"] == ["repeat"]
    assert other.get("/api/v1/promotions?state=pending").json()["items"] == []
    assert other.post(f"{path}/approve", json={}, headers=once()).status_code == 409
    log = admin.get("/api/v1/audit").json()["items"]
    assert "promotion.outdated" in [one["action"] for one in log]

    assert service.as_role("viewer").post(f"{path}/repeat", headers=once()).status_code == 403
    again = other.post(f"{path}/repeat", headers=once())
    assert again.status_code == 202, again.text
    made = again.json()
    assert again.headers["Location"] == f"/api/v1/promotions/{made['id']}"
    assert (made["state"], made["comment"]) == ("pending", "cures the victims")
    assert made["plan"]["current"]["name"] == "gran-2012"
    twice = operator.post(f"{path}/repeat", headers=once())
    assert twice.status_code == 409
    assert made["id"] in twice.json()["detail"]
    ended = operator.post(f"/api/v1/promotions/{made['id']}/approve", json={}, headers=once())
    assert ended.status_code == 202, ended.text
    run_jobs(service, operator, ended.json()["job"])
    assert base(operator) == "gran-2010"


def test_other_devices_make_a_promotion_outdated(service: Service) -> None:
    with_default_fabric(service)
    admin = with_second_person(service)
    promotion = asked(service.as_role("operator")).json()
    options = {"fabric": "two-switch-16"}
    tag = admin.get(FABRIC).headers["ETag"]
    changed = admin.patch(FABRIC, json={"options": options}, headers={"If-Match": tag})
    assert changed.status_code == 200, changed.text
    found = admin.get(f"/api/v1/promotions/{promotion['id']}").json()
    assert (found["state"], found["problem"]) == ("outdated", "the fabric's devices are others than when it was asked for")


def test_whoever_looks_at_the_plan_finds_that_it_is_another_one(service: Service) -> None:
    """As after a switch was added, of which no job of the service knows."""
    with_default_fabric(service)
    with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    promotion = asked(operator).json()
    path = f"/api/v1/promotions/{promotion['id']}"
    same = other.post(f"{path}/plan")
    assert (same.status_code, same.json()["digest"]) == (200, promotion["plan_digest"])
    assert other.get(path).json()["state"] == "pending"
    with service.database.writing() as session:
        session.get_one(Promotion, promotion["id"]).plan_digest = "0" * 64
    assert service.as_role("viewer").post(f"{path}/plan").status_code == 403
    assert other.post(f"{path}/plan").json()["digest"] == promotion["plan_digest"]
    assert other.get(path).json()["state"] == "outdated"


def test_an_approval_of_another_plan_is_refused_and_makes_the_promotion_outdated(service: Service) -> None:
    with_default_fabric(service)
    with_second_person(service)
    operator, other = service.as_role("operator"), second(service)
    promotion = asked(operator).json()
    with service.database.writing() as session:
        session.get_one(Promotion, promotion["id"]).plan_digest = "0" * 64
    path = f"/api/v1/promotions/{promotion['id']}"
    answer = other.post(f"{path}/approve", json={}, headers=once())
    assert (answer.status_code, answer.json()["type"]) == (409, "/problems/plan-changed")
    assert "is outdated: the fabric's devices are others" in answer.json()["detail"]
    assert operator.get(path).json()["state"] == "outdated"


def test_nothing_is_asked_for_again_where_nobody_would_read_the_plan(service: Service) -> None:
    with_default_fabric(service)
    service.settings.second_person = True
    operator = service.as_role("operator")
    promotion = asked(operator).json()
    with service.database.writing() as session:
        session.get_one(Promotion, promotion["id"]).state = "outdated"
    service.settings.second_person = False
    answer = operator.post(f"/api/v1/promotions/{promotion['id']}/repeat", headers=once())
    assert answer.status_code == 409
    assert "need no second person any more" in answer.json()["detail"]


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


def digest(client: TestClient, profile: str) -> str:
    return str(client.post(f"{FABRIC}/plan", json={"profile": profile}).json()["digest"])


def tried(service: Service, client: TestClient, profile: str) -> None:
    job = client.post(f"{FABRIC}/apply", json={"profile": profile, "ttl_s": 600}, headers=once()).json()
    assert run_jobs(service, client, job["id"])["state"] == "done"


def promoted(service: Service, client: TestClient, profile: str) -> None:
    promotion = asked(client, profile=profile, plan_digest=digest(client, profile)).json()
    assert run_jobs(service, client, promotion["job"])["state"] == "done"


def second(service: Service) -> TestClient:
    """Another operator."""
    with service.database.reading() as session:
        user = find_by_name(session, "second")
    user_id = user.id if user else service.add_person(Role.OPERATOR, "second")
    client = service.anonymous()
    client.headers["Authorization"] = f"Bearer {service.add_token(user_id, Role.OPERATOR)}"
    return client
