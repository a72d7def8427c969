# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an approver reads of a profile: who measured what, and what would undo it."""

from datetime import datetime, timedelta
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.base.times import now
from api.database.models.check import CheckNight, StoredCheck
from api.database.models.trial_outcome import TrialOutcome
from api.documents.checks import PolicyDocument, PolicyRule
from tests.api import check_service
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service


def asked(client: TestClient, profile: str) -> str:
    plan = client.post(f"{FABRIC}/plan", json={"profile": profile}).json()
    body = {"fabric": "two-switch", "profile": profile, "version": 1, "plan_digest": plan["digest"]}
    answer = client.post("/api/v1/promotions", json=body, headers=once())
    assert answer.json()["state"] == "pending", answer.text
    return str(answer.json()["id"])


def evidence(client: TestClient, promotion: str) -> dict[str, Any]:
    answer = client.get(f"/api/v1/promotions/{promotion}/evidence")
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_what_is_not_known_is_said(service: Service) -> None:
    with_default_fabric(service)
    service.settings.second_person = True
    operator = service.as_role("operator")
    found = evidence(service.as_role("viewer"), asked(operator, "gran-2010"))
    assert (found["measured"], found["trial_runs"]) == (None, [])
    assert found["undo"] == ["An operator rolls back: profile 'off' version 1 is the base again, without another person."]
    assert found["unknown"] == [
        "No finished campaign of the service recommends these settings, so nothing is known of what profile 'gran-2010' gains "
        "and costs.",
        "Profile 'gran-2010' version 1 had no trial run on 'two-switch'.",
    ]
    other = service.as_role("operator", fabrics=["elsewhere"])
    (promotion,) = operator.get("/api/v1/promotions").json()["items"]
    assert other.get(f"/api/v1/promotions/{promotion['id']}/evidence").status_code == 404


def test_a_trial_run_is_shown_with_the_nights_before_and_during_it(service: Service) -> None:
    with_default_fabric(service)
    service.settings.second_person = True
    operator = service.as_role("operator")
    check_service.created(operator, "nightly")
    with service.database.writing() as session:
        rule = PolicyRule(answer="rollback", causes=["device-drifted"], kinds=[], template=None)
        session.get_one(StoredCheck, "nightly").policy = PolicyDocument(rules=[rule]).model_dump(mode="json")
        session.add(_night(now() - timedelta(days=1), "pass"))
    job = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 600}, headers=once()).json()
    run_jobs(service, operator, job["id"])
    promotion = asked(operator, "gran-2010")
    (alone,) = evidence(operator, promotion)["trial_runs"]
    assert (alone["by"], alone["is_over"], alone["during"]) == ("operator", False, [])
    assert alone["before"]["verdict"] == "pass"
    assert alone["sentence"].startswith("Nothing was measured under this profile")
    assert "nothing was measured before and during it" in evidence(operator, promotion)["unknown"][-1]
    with service.database.writing() as session:
        session.add(_night(now(), "warn"))
        outcome = session.get_one(TrialOutcome, alone["job"])
        outcome.before, outcome.during = [_figures(2.2)], [_figures(13.0)]
    restore = operator.post(f"{FABRIC}/restore", headers=once()).json()
    run_jobs(service, operator, restore["id"])
    found = evidence(operator, promotion)
    (run,) = found["trial_runs"]
    assert run["is_over"] is True
    assert [one["verdict"] for one in run["during"]] == ["warn"]
    assert run["sentence"] == "A victim got 13 Gb/s during it, 2.2 before; no campaign of the service promised anything."
    assert found["undo"][1] == "Check 'nightly' rolls back by itself after a night that fails for device-drifted."
    assert len(found["unknown"]) == 1, "what it gains and costs"


def _figures(victims_gbps: float) -> dict[str, Any]:
    entry = {
        "entry": "fairness",
        "kind": "fairness",
        "options": "same",
        "regime": "gran-2010@000000000000",
        "values": {"victim_throughput": victims_gbps},
        "units": {"victim_throughput": "Gb/s"},
    }
    night = {"check": "nightly", "date": "2026-03-01", "number": 3, "at": "2026-03-01T02:20:00Z", "verdict": "pass"}
    return night | {"entries": [entry]}


def _night(at: datetime, verdict: str) -> CheckNight:
    return CheckNight(
        check="nightly",
        date=at.date(),
        by="schedule",
        planned_at=at,
        started_at=at,
        ended_at=at,
        verdict=verdict,
        runs=1,
        public_headline=f"a {verdict}",
    )


@pytest.mark.long
def test_the_campaign_that_measured_the_profile_is_found_by_its_settings(service: Service) -> None:
    with_default_fabric(service)
    service.settings.second_person = True
    operator = service.as_role("operator")
    confirmation = {"seeds": [101, 102], "time_scale": 0.02, "front": 1}
    more = {"budget.trials": 2, "confirmation": confirmation, "model.ca.becn_carrier": "cnp"}
    campaign = created(operator, settings=more)
    job = run_jobs(service, operator, act(operator, campaign, "start").json()["job"])
    assert job["state"] == "done", job
    done = seen(operator, campaign)
    document = operator.get(f"/api/v1/campaigns/{campaign['id']}/profile").text
    lines = ["name: cured" if line.startswith("name:") else line for line in document.splitlines()]
    body = {"name": "cured", "document": "\n".join(lines) + "\n"}
    assert operator.post("/api/v1/profiles", json=body).status_code == 201
    found = evidence(operator, asked(operator, "cured"))
    measured = found["measured"]
    assert (measured["campaign"], measured["name"], measured["trial"]) == (campaign["id"], "short", done["recommended"])
    assert (measured["backend"], measured["variant"], measured["fabric"]) == ("simulated", None, "two-switch")
    assert measured["model"] == {"ca.becn_carrier": "cnp"}
    victim, contributors, _ = measured["figures"]
    report = seen(operator, campaign, "/report.json")["recommended"]
    assert (victim["metric"], victim["side"]) == ("victim_throughput_gbps", "gain")
    assert (contributors["metric"], contributors["side"]) == ("contributor_total_gbps", "cost")
    of_report = report["against_baseline"]["victim_throughput_gbps"]
    assert victim["against_off"] == {key: of_report[key] for key in ("value", "low", "high")}
    assert victim["value"]["low"] <= victim["value"]["value"] <= victim["value"]["high"]
    assert not any("confidence" in one for one in found["unknown"])
    promotion = operator.get("/api/v1/promotions").json()["items"][0]["id"]
    changed = service.as_role("admin").patch(FABRIC, json={"options": {"fabric": "two-switch-16"}}, headers={"If-Match": "*"})
    assert changed.status_code == 200, changed.text
    unknown = evidence(operator, promotion)["unknown"]
    assert unknown[0].startswith("Campaign 'short' rests on the wiring of fabric 'two-switch' in version 1; version 2 is present")
