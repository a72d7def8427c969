# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns as jobs, in either database."""

import threading
from collections.abc import Callable
from typing import Any

import pytest
from sqlalchemy import text

from api.database.models.campaign import StoredCampaign, Trial
from api.database.models.job import MAX_ATTEMPTS, Job
from api.jobs import campaign_watch
from api.jobs.worker import Worker
from api.services.campaigns.trials import trial_row
from tests.api.campaign_service import CAMPAIGNS, act, created, seen
from tests.api.fabric_service import run_jobs, with_default_fabric
from tests.api.service import Service
from tuner.campaign.record import TrialRecord


def test_the_row_of_a_trial_has_all_that_the_store_has_of_it() -> None:
    record = TrialRecord(number=3, origin="x" * 200, params={"ca.ccti_timer": 9}, state="failed", reason="no answer", reused=True)
    row = trial_row("c1", record, 0.5)
    given = {column.name for column in Trial.__table__.columns if column.name in row.__dict__}
    assert given == {column.name for column in Trial.__table__.columns} - {"on_front", "ended_at"}
    assert (row.number, row.origin, row.state, row.reason, row.reused) == (3, "x" * 100, "failed", "no answer", True)
    assert (row.params, row.metrics, row.duration_s, row.hypervolume) == ({"ca.ccti_timer": 9}, None, None, 0.5)


@pytest.mark.thorough
@pytest.mark.long
@pytest.mark.parametrize("database_url", ["postgresql", pytest.param("sqlite", marks=pytest.mark.slow)], indirect=True)
def test_a_campaign_runs_and_is_extended_in_both_databases(any_service: Service) -> None:
    with_default_fabric(any_service)
    operator = any_service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 3})
    job = run_jobs(any_service, operator, act(operator, campaign, "start").json()["job"])
    assert job["state"] == "done", job
    before = seen(operator, campaign, "/trials")["items"]
    with any_service.database.writing() as session:  # as if a crash had come between the store and the rows
        session.delete(session.get_one(Trial, (campaign["id"], 1)))
        session.get_one(Trial, (campaign["id"], 2)).params = {}
    job = run_jobs(any_service, operator, act(operator, campaign, "extend", {"trials": 4}).json()["job"])
    assert job["state"] == "done", job
    after = seen(operator, campaign, "/trials")["items"]
    volatile = {"ended_at", "on_front"}
    assert [{key: one[key] for key in one.keys() - volatile} for one in after[:3]] == [
        {key: one[key] for key in one.keys() - volatile} for one in before
    ], "rows are made from the store's records again"
    done = seen(operator, campaign)
    assert (done["state"], done["trials_done"]) == ("finished", 4)
    assert len(seen(operator, campaign, "/trials?sort=duration_s")["items"]) == 4
    if not any_service.database.is_sqlite:
        with any_service.database.reading() as session:
            names = session.scalars(text("SELECT study_name FROM ibcc_campaigns.studies")).all()
        assert names == [f"{campaign['name']} {campaign['id']}"], "Optuna's tables are in a schema of their own"


@pytest.mark.thorough
@pytest.mark.long
def test_a_search_that_is_ended_early_is_confirmed_and_reported(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 500})
    job = act(operator, campaign, "start").json()["job"]
    assert act(operator, campaign, "stop", {"confirm": True}).status_code == 409, "it does not run yet"
    original = campaign_watch.CampaignWatch.trial

    def trial(self: Any, record: Any, progress: Any) -> None:
        original(self, record, progress)
        if progress.finished == 3:
            assert act(operator, campaign, "stop", {"confirm": True}).status_code == 202

    monkeypatch.setattr(campaign_watch.CampaignWatch, "trial", trial)
    assert run_jobs(service, operator, job)["state"] == "done"
    done = seen(operator, campaign)
    assert done["state"] == "finished"
    assert 3 <= done["trials_done"] < 500
    assert done["ended"]
    report = seen(operator, campaign, "/report.json")
    assert str(service.settings.state_folder) not in str(report) + operator.get(f"{CAMPAIGNS}/{campaign['id']}/report.html").text
    assert report["counts"]["trials"] == done["trials_done"]
    assert report["recommended"] is not None
    assert done["best"]["number"] == done["recommended"] == report["recommended"]["trial"]
    assert done["best"]["spread_gbps"] == report["recommended"]["metrics"]["spread_gbps"], "as the confirmation measured it"
    assert set(done["best"]["beside"]) == {"baseline", "expert"}


@pytest.mark.long
def test_a_campaign_whose_job_is_cancelled_is_paused(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 500})
    job = act(operator, campaign, "start").json()["job"]
    original = campaign_watch.CampaignWatch.trial

    def trial(self: Any, record: Any, progress: Any) -> None:
        original(self, record, progress)
        if progress.finished == 2:
            assert operator.post(f"/api/v1/jobs/{job}/cancel").status_code == 202

    monkeypatch.setattr(campaign_watch.CampaignWatch, "trial", trial)
    assert run_jobs(service, operator, job)["state"] == "cancelled"
    assert seen(operator, campaign)["state"] == "paused"
    assert act(operator, campaign, "resume").status_code == 202


def test_a_campaign_that_cannot_run_has_failed_with_a_sentence(service: Service) -> None:
    with_default_fabric(service)
    operator, admin = service.as_role("operator"), service.as_role("admin")
    campaign = created(operator)
    tag = admin.get("/api/v1/fabrics/two-switch").headers["ETag"]
    assert admin.delete("/api/v1/fabrics/two-switch", headers={"If-Match": tag}).status_code == 204
    refused = act(operator, campaign, "start")
    assert refused.status_code == 409
    assert "was deleted" in refused.json()["detail"]
    with service.database.writing() as session:
        row = session.get_one(StoredCampaign, campaign["id"])
        files = dict(row.files)
        row.files = files | {"campaign.json": files["campaign.json"].replace("gran-2010", "no-such")}
    with_default_fabric(service)
    job = run_jobs(service, operator, act(operator, campaign, "start").json()["job"])
    assert job["state"] == "failed"
    failed = seen(operator, campaign)
    assert failed["state"] == "failed"
    assert "no-such" in failed["problem"]


@pytest.mark.long
def test_only_workers_count_that_are_lost_where_the_campaign_gets_no_further(
    service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of weeks may lose many: it is not in a loop as long as it gets further."""
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator, settings={"budget.trials": 500})
    job = act(operator, campaign, "start").json()["job"]
    attempts = []
    original = campaign_watch.CampaignWatch.phase

    def phase(self: Any, *arguments: Any) -> None:
        original(self, *arguments)
        with service.database.writing() as session:
            attempts.append(session.get_one(Job, job).attempts)

    def lose_worker_when(happened: Callable[[], bool]) -> None:
        """As if the worker had been killed in its fourth attempt."""
        worker = Worker(service.database, service.settings, slots=1, place="both", poll_s=0.02)
        worker.start()
        while not happened():
            threading.Event().wait(0.02)
        worker.stop()
        with service.database.writing() as session:
            session.get_one(Job, job).attempts = MAX_ATTEMPTS - 1

    monkeypatch.setattr(campaign_watch.CampaignWatch, "phase", phase)
    lose_worker_when(lambda: seen(operator, campaign)["trials_done"] >= 2)
    count = len(attempts)
    lose_worker_when(lambda: len(attempts) > count)
    assert attempts[count] == 1, "it had got further"
    monkeypatch.setattr("tuner.campaign.store.CampaignStore.kept", lambda self: 0)
    lose_worker_when(lambda: len(attempts) > count + 1)
    count = len(attempts)
    lose_worker_when(lambda: len(attempts) > count)
    assert attempts[count] == MAX_ATTEMPTS, "it had not"
