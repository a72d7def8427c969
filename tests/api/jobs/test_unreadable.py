# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rows that cannot be read: each fails alone, and all others go their way."""

from typing import Any

import pytest
from sqlalchemy import text
from sqlalchemy.orm import Session

from api.database.engine import Database
from api.database.models.campaign import StoredCampaign
from api.jobs import lease
from tests.api.campaign_service import act, created, seen
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.jobs.conftest import Jobs
from tests.api.service import Service

DAMAGE = {"sqlite": "{not JSON", "postgresql": "1"}


def damage(database: Database, table: str, column: str, value: str | None = None, key: str | None = None) -> None:
    """Writes into the rows, or into that of a key, what nobody can read."""
    kind = database.engine.dialect.name
    cast = "CAST(:value AS jsonb)" if kind == "postgresql" and value is None else ":value"
    where = "" if key is None else " WHERE id = :key"
    with database.engine.begin() as connection:
        statement = text(f"UPDATE {table} SET {column} = {cast}{where}")
        connection.execute(statement, {"value": value or DAMAGE[kind], "key": key} if key else {"value": value or DAMAGE[kind]})


def test_a_job_whose_arguments_cannot_be_read_fails_alone(jobs: Jobs) -> None:
    bad = jobs.enqueue("steps")
    damage(jobs.database, "jobs", "arguments", key=bad)
    good = jobs.enqueue("urgent")
    worker = jobs.worker()
    job = jobs.ended(bad)
    assert job.state == "failed"
    assert job.problem is not None
    assert "cannot be read (arguments)" in job.problem
    assert jobs.ended(good).state == "done"
    assert (worker.loop.trouble(), worker.loop.remark()) == (None, None)


@pytest.mark.parametrize("database_url", ["sqlite"], indirect=True)
def test_a_job_whose_times_cannot_be_read_fails_alone(jobs: Jobs) -> None:
    """Only SQLite takes anything for a time."""
    bad, good = jobs.enqueue("steps"), jobs.enqueue("steps", file=str(jobs.folder / "other"))
    damage(jobs.database, "jobs", "created_at", "yesterday", key=bad)
    jobs.worker()
    assert "(created_at)" in str(jobs.ended(bad).problem)
    assert jobs.ended(good).state == "done"


def test_a_running_job_that_cannot_be_read_is_recovered_and_fails(jobs: Jobs) -> None:
    bad = jobs.enqueue("steps")
    jobs.change(bad, state="running", worker="gone", lease_until=None)
    damage(jobs.database, "jobs", "arguments", key=bad)
    with jobs.database.writing() as session:
        assert lease.recover(session) == 1
    jobs.worker()
    assert jobs.ended(bad).state == "failed"


def test_people_see_it_and_the_emergency_restore_still_runs(any_service: Service) -> None:
    with_default_fabric(any_service)
    operator = any_service.as_role("operator")
    applied = operator.post(f"{FABRIC}/apply", json={"profile": "gran-2010", "ttl_s": 600}, headers=once()).json()["id"]
    damage(any_service.database, "jobs", "arguments", key=applied)
    assert operator.get("/api/v1/jobs").status_code == 200
    restore = operator.post(f"{FABRIC}/restore", headers=once()).json()["id"]
    assert run_jobs(any_service, operator, restore)["state"] == "done"
    job = operator.get(f"/api/v1/jobs/{applied}").json()
    assert (job["state"], "cannot be read" in job["problem"]) == ("failed", True)


def test_what_worked_for_the_job_ends_with_it(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator)
    job = act(operator, campaign, "start").json()["job"]
    damage(service.database, "jobs", "arguments", key=job)
    assert run_jobs(service, operator, job)["state"] == "failed"
    assert seen(operator, campaign)["state"] == "failed"


def test_a_campaign_whose_row_cannot_be_read_fails_alone(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    campaign = created(operator)
    job = act(operator, campaign, "start").json()["job"]
    damage(service.database, "campaigns", "spec", key=campaign["id"])
    problem = run_jobs(service, operator, job)["problem"]
    assert "cannot be read (spec)" in problem
    with service.database.reading() as session:
        assert session.get_one(StoredCampaign, campaign["id"]).state == "failed"


def test_a_worker_that_meets_a_bug_starts_again(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    fails = [ZeroDivisionError, None]
    original = lease.waiting

    def waiting(session: Session, *arguments: Any, **options: Any) -> str | None:
        # A service that other tests of this process share looks too, in its own database.
        is_own = session.get_bind() is jobs.database.engine
        if is_own and fails and (kind := fails.pop(0)) is not None:
            raise kind
        found: str | None = original(session, *arguments, **options)
        return found

    monkeypatch.setattr(lease, "waiting", waiting)
    worker = jobs.worker()
    assert jobs.ended(jobs.enqueue("steps")).state == "done"
    remark = worker.loop.remark()
    assert remark is not None
    assert "started again once since the service began, last after ZeroDivisionError" in remark
