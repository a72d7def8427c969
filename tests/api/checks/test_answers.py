# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Answers by policy: given once for a cause, within maintenance windows, each undone by one call."""

from dataclasses import replace
from datetime import UTC, datetime
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.database.models.job import Job
from api.jobs.kinds import check_answer
from api.jobs.worker import Worker
from api.services.checks import answers
from tests.api.check_service import CHECKS, all_in_one_night, created, put, run_night, seen
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.checks.kind import KINDS
from tuner.checks.observation import Finding, Observation

pytestmark = pytest.mark.long

INVENTORY = """\
ibcc_inventory: 1
name: lab
launcher: {kind: ssh}
hosts: [{nodes: "node[1-7]", host: "H{number}"}]
maintenance: [{days: [mon], from: "22:00", to: "23:00"}]
"""
ROLLBACK = {"rules": [{"answer": "rollback", "causes": ["drift"]}]}


class Bed:
    """A check of a simulated fabric, whose fairness entry finds what the test says."""

    def __init__(self, service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
        self.service = with_default_fabric(service)
        self.operator, self.admin = service.as_role("operator"), service.as_role("admin")
        self.places: list[str] = ["S1"]
        kind = KINDS.get("fairness")
        monkeypatch.setitem(KINDS._variants, "fairness", replace(kind, observe=lambda options, night: self._found()))
        created(self.operator)
        all_in_one_night(monkeypatch)

    def _found(self) -> Observation:
        return Observation(findings=tuple(_drift(place) for place in self.places))

    def policy(self, body: Any) -> None:
        assert put(self.admin, "/policy", body).status_code == 200

    def night(self) -> list[Any]:
        """The answers after one more run."""
        assert run_night(self.service, self.operator)["state"] == "done"
        items: list[Any] = seen(self.operator, "/answers")["items"]
        return items

    def base(self) -> str:
        return str(self.operator.get(f"{FABRIC}/state").json()["base_profile"]["name"])

    def promote(self, profile: str) -> None:
        plan = self.operator.post(f"{FABRIC}/plan", json={"profile": profile}).json()
        body = {"fabric": "two-switch", "profile": profile, "version": 1, "plan_digest": plan["digest"]}
        answer = self.operator.post("/api/v1/promotions", json=body, headers=once())
        assert run_jobs(self.service, self.operator, answer.json()["job"])["state"] == "done"

    def undo(self, answer: Any, client: TestClient | None = None) -> Any:
        return (client or self.operator).post(f"{CHECKS}/site/answers/{answer['id']}/undo", headers=once())

    def work(self, job: str) -> Any:
        return run_jobs(self.service, self.operator, job)


def _drift(place: str) -> Finding:
    return Finding(code="drift", sentence=f"{place} holds other values", place=place, evidence="e", next_step="n")


@pytest.fixture
def bed(service: Service, monkeypatch: pytest.MonkeyPatch) -> Bed:
    return Bed(service, monkeypatch)


def test_nothing_is_done_without_a_policy(bed: Bed) -> None:
    assert bed.night() == []
    assert seen(bed.operator)["last"]["verdict"] == "fail"


def test_a_rollback_changes_the_base_once_and_its_undo_puts_it_back(bed: Bed) -> None:
    first = bed.base()
    bed.promote("gran-2010")
    bed.policy(ROLLBACK)
    (given,) = bed.night()
    assert (given["answer"], given["cause"], given["stands"]) == ("rollback", "drift at S1", True)
    assert given["sentence"] == "S1 holds other values; the former base profile becomes the base again"
    job = bed.work(given["job"])
    assert job["state"] == "done"
    assert job["started_at"] >= seen(bed.operator)["last"]["ended_at"], "the check itself leaves the fabric as it was"
    assert bed.base() == first
    assert len(bed.night()) == 1, "no second answer while the first one stands"
    undone = bed.undo(given)
    assert (undone.status_code, undone.json()["state"]) == (202, "undoing")
    assert bed.work(undone.json()["undo_job"])["state"] == "done"
    assert bed.base() == "gran-2010"
    (last,) = seen(bed.operator, "/answers")["items"]
    assert (last["state"], last["stands"], last["undone_by"], last["actions"]) == ("undone", False, "operator", [])
    assert bed.undo(given).status_code == 409
    assert len(bed.night()) == 2, "after an undo the cause may be answered again"
    actions = [entry["action"] for entry in bed.admin.get("/api/v1/audit", params={"limit": 200}).json()["items"]]
    assert {"check.answer", "check.answer.undo", "fabric.check_answer.done", "check.policy"} <= set(actions)


def test_an_undo_does_not_replace_a_base_that_somebody_promoted_since(bed: Bed) -> None:
    bed.promote("gran-2010")
    bed.policy(ROLLBACK)
    (given,) = bed.night()
    bed.work(given["job"])
    bed.promote("gran-2012")
    undone = bed.undo(given)
    job = bed.work(undone.json()["undo_job"])
    assert job["state"] == "failed"
    assert "not the one that the answer left" in job["problem"]
    (last,) = seen(bed.operator, "/answers")["items"]
    assert (last["state"], last["actions"]) == ("done", ["undo"])
    assert last["problem"].startswith("It could not be undone: ")


def test_a_cause_that_is_gone_may_be_answered_again(bed: Bed) -> None:
    bed.policy({"rules": [{"answer": "reapply", "kinds": ["fairness"]}]})
    (given,) = bed.night()
    assert bed.work(given["job"])["state"] == "done"
    bed.places = []
    (gone,) = bed.night()
    assert (gone["state"], gone["stands"]) == ("done", False)
    bed.places = ["S1"]
    assert [one["stands"] for one in bed.night()] == [True, False]


def test_another_place_of_a_rule_that_was_answered_waits_until_that_is_gone(bed: Bed) -> None:
    bed.policy({"rules": [{"answer": "reapply"}]})
    bed.night()
    bed.places = ["S1", "S2"]
    assert len(bed.night()) == 1
    bed.places = ["S2"]
    assert [one["cause"] for one in bed.night()] == ["other-fault at S2", "other-fault at S1"]


def test_a_rule_that_does_not_match_leaves_it_to_the_next(bed: Bed) -> None:
    bed.policy({"rules": [{"answer": "rollback", "causes": ["degraded-link"]}, {"answer": "reapply", "kinds": ["tables"]}]})
    assert bed.night() == []


def test_a_withdrawn_reapply_leaves_the_base(bed: Bed) -> None:
    bed.policy({"rules": [{"answer": "reapply"}]})
    (given,) = bed.night()
    bed.work(given["job"])
    undone = bed.undo(given).json()
    assert (undone["state"], undone["undo_job"]) == ("undone", None)


def test_a_campaign_is_drafted_with_what_was_seen_and_its_undo_deletes_it(bed: Bed) -> None:
    bed.policy({"rules": [{"answer": "draft_campaign"}]})
    (given,) = bed.night()
    campaign = bed.operator.get(f"/api/v1/campaigns/{given['campaign']}").json()
    assert campaign["state"] == "draft"
    assert campaign["spec"]["start_from"] == ["gran-2010"]
    assert campaign["spec"]["workloads"] == ["scenario-1"]
    assert (given["state"], given["job"]) == ("done", None)
    assert bed.undo(given).json()["state"] == "undone"
    assert bed.operator.get(f"/api/v1/campaigns/{given['campaign']}").status_code == 404


def test_a_draft_that_was_started_is_not_deleted(bed: Bed) -> None:
    bed.policy({"rules": [{"answer": "draft_campaign"}]})
    (given,) = bed.night()
    assert bed.operator.post(f"/api/v1/campaigns/{given['campaign']}/start", headers=once()).status_code == 202
    refused = bed.undo(given)
    assert refused.status_code == 409
    assert "is queued and no draft any more" in refused.json()["detail"]


def test_the_fabric_is_changed_in_its_windows_only_and_a_waiting_answer_is_withdrawn(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    answer = bed.admin.put(f"{FABRIC}/inventory", json={"document": INVENTORY}, headers={"If-None-Match": "*"})
    assert answer.status_code == 201, answer.text
    tuesday = datetime(2093, 11, 24, 12, tzinfo=UTC)
    monkeypatch.setattr(answers, "now", lambda: tuesday)
    bed.policy({"rules": [{"answer": "reapply"}]})
    (given,) = bed.night()
    assert (given["state"], given["waits_until"]) == ("waiting", "2093-11-30T22:00:00.000Z")
    verify = bed.operator.post(f"{FABRIC}/verify", headers=once())
    assert verify.status_code == 202, "one that waits for its window is in nobody's way"
    bed.work(verify.json()["id"])
    undone = bed.undo(given).json()
    assert (undone["state"], undone["problem"]) == ("undone", "its job was cancelled")
    with bed.service.database.reading() as session:
        assert session.get_one(Job, given["job"]).state == "cancelled"


def test_an_answer_that_begins_outside_of_the_windows_waits_again(bed: Bed, monkeypatch: pytest.MonkeyPatch) -> None:
    bed.admin.put(f"{FABRIC}/inventory", json={"document": INVENTORY}, headers={"If-None-Match": "*"})
    monkeypatch.setattr(answers, "now", lambda: datetime(2094, 11, 29, 22, 30, tzinfo=UTC))
    monkeypatch.setattr(check_answer, "now", lambda: datetime(2094, 11, 29, 23, 0, tzinfo=UTC))
    bed.policy({"rules": [{"answer": "reapply"}]})
    (given,) = bed.night()
    worker = Worker(bed.service.database, bed.service.settings, slots=1, place="both", poll_s=0.02)
    worker.start()
    try:
        for _ in range(1000):
            (given,) = seen(bed.operator, "/answers")["items"]
            if given["state"] == "waiting":
                break
    finally:
        worker.stop()
    assert (given["state"], given["waits_until"]) == ("waiting", "2094-12-06T22:00:00.000Z")
    assert bed.operator.get(f"/api/v1/jobs/{given['job']}").json()["started_at"] is None, "other jobs do not wait for it"


def test_where_a_second_person_is_required_nothing_is_rolled_back_without_windows(bed: Bed) -> None:
    bed.promote("gran-2010")
    assert put_fabric(bed.admin).status_code == 200
    bed.policy(ROLLBACK)
    (given,) = bed.night()
    assert (given["state"], given["stands"]) == ("failed", False)
    assert "requires a second person" in given["problem"]
    assert bed.base() == "gran-2010"


def test_where_a_second_person_is_required_a_rollback_happens_in_an_admins_window_alone(
    bed: Bed, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = bed.base()
    bed.promote("gran-2010")
    assert put_fabric(bed.admin).status_code == 200
    assert (
        bed.operator.put(f"{FABRIC}/inventory", json={"document": INVENTORY}, headers={"If-None-Match": "*"}).status_code == 403
    )
    assert bed.admin.put(f"{FABRIC}/inventory", json={"document": INVENTORY}, headers={"If-None-Match": "*"}).status_code == 201
    bed.policy(ROLLBACK)
    before, within = (datetime(2094, 11, 29, hour, 30, tzinfo=UTC) for hour in (12, 22))
    monkeypatch.setattr(answers, "now", lambda: before)
    (given,) = bed.night()
    assert (given["state"], given["waits_until"]) == ("waiting", "2094-11-29T22:00:00.000Z")
    assert bed.base() == "gran-2010"
    bed.undo(given)
    for module in (answers, check_answer):
        monkeypatch.setattr(module, "now", lambda: within)
    (given, _) = bed.night()
    assert bed.work(given["job"])["state"] == "done"
    assert bed.base() == first
    promotions = bed.operator.get("/api/v1/promotions").json()["items"]
    assert [(one["profile"], one["state"]) for one in promotions] == [("gran-2010", "done")], "nobody was asked to approve"
    entries = bed.admin.get("/api/v1/audit", params={"action": "check.answer"}).json()["items"]
    assert {(one["actor"], one["via"], one["detail"]["answer"]) for one in entries} >= {("ibcc", "check site", "rollback")}


def put_fabric(admin: TestClient) -> Any:
    return admin.patch(FABRIC, json={"second_person": True}, headers={"If-Match": "*"})


def test_a_policy_that_makes_no_sense_is_refused(bed: Bed) -> None:
    for rule, words in (
        ({"answer": "rollback", "template": "scenario-1"}, "has no template"),
        ({"answer": "draft_campaign", "template": "nonsense"}, "there is no campaign template 'nonsense'"),
    ):
        refused = put(bed.admin, "/policy", {"rules": [rule]})
        assert refused.status_code == 422
        assert words in refused.json()["detail"]
    assert put(bed.operator, "/policy", {"rules": []}).status_code == 403
