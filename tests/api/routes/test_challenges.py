# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Challenges of campaigns in the service: a job, its outcome, who may ask for one, and when not."""

from typing import Any

import pytest

from api.database.models.audit_entry import AuditEntry
from api.database.models.campaign import StoredCampaign
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import run_jobs, with_default_fabric
from tests.api.service import Service

BODY = {"runs": 60, "seed": 3}


def finished(service: Service, **settings: Any) -> tuple[Any, dict[str, Any]]:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 2} | settings)
    assert run_jobs(service, operator, act(operator, campaign, "start").json()["job"])["state"] == "done"
    return operator, campaign


@pytest.mark.long
def test_a_challenge_is_a_job_and_leaves_its_outcome(service: Service) -> None:
    operator, campaign = finished(service)
    assert seen(operator, campaign, "/challenge") == {"outcome": None, "job": None}
    asked = act(operator, campaign, "challenge", BODY)
    assert asked.status_code == 202, asked.text
    assert asked.headers["Location"] == f"/api/v1/jobs/{asked.json()['id']}"
    assert seen(operator, campaign, "/challenge")["job"] == asked.json()["id"]
    again = act(operator, campaign, "challenge", BODY)
    assert again.status_code == 409
    assert "A challenge of campaign 'short' has not ended" in again.json()["detail"]
    assert act(operator, campaign, "extend", {"trials": 9}).status_code == 409
    job = run_jobs(service, operator, asked.json()["id"])
    assert job["state"] == "done", job
    found = seen(operator, campaign, "/challenge")
    outcome = found["outcome"]
    assert found["job"] is None
    assert (outcome["seed"], outcome["trial"]) == (3, seen(operator, campaign)["recommended"])
    assert 0 < outcome["runs"] <= 60
    assert job["result"] == {"holds": outcome["holds"], "sentence": outcome["sentence"], "runs": outcome["runs"]}
    assert seen(operator, campaign)["state"] == "finished"
    with service.database.reading() as session:
        entries = [entry.action for entry in session.query(AuditEntry)]
    assert "campaign.challenge" in entries


def test_who_may_not_and_what_cannot_be_challenged(service: Service) -> None:
    with_default_fabric(service)
    operator, viewer = service.as_role("operator"), service.as_role("viewer")
    campaign = created(operator)
    assert act(viewer, campaign, "challenge", BODY).status_code == 403
    assert seen(viewer, campaign, "/challenge") == {"outcome": None, "job": None}
    assert act(operator, campaign, "challenge", BODY).status_code == 409, "a draft"
    with service.database.writing() as session:
        session.get_one(StoredCampaign, campaign["id"]).state = "finished"
    nothing = act(operator, campaign, "challenge", BODY)
    assert nothing.status_code == 409
    assert "recommends no profile, so there is nothing to challenge" in nothing.json()["detail"]
    with service.database.writing() as session:
        row = session.get_one(StoredCampaign, campaign["id"])
        row.recommended, row.spec = 1, row.spec | {"backend": "emulated"}
    elsewhere = act(operator, campaign, "challenge", BODY)
    assert "measures on more than the simulated backend" in elsewhere.json()["detail"]
    assert act(operator, campaign, "challenge", {"runs": 2}).status_code == 422
    other = service.as_role("operator", fabrics=["elsewhere"])
    assert act(other, campaign, "challenge", BODY).status_code == 404
