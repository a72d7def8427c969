# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns that measure on one fabric go one after the other."""

import threading
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from api.access.principal import system
from api.base.process_identity import own_identity
from api.base.times import now
from api.database.models.campaign import StoredCampaign
from api.database.models.job import MAX_ATTEMPTS, Job
from api.jobs import lease
from api.jobs.kinds.campaign import CampaignJob
from api.jobs.worker import Worker
from api.queue.documents import publish_job
from api.services.campaigns.holds import pause_holders
from tests.api.answer_cases import INVENTORY
from tests.api.campaign_service import act, created, seen
from tests.api.cluster_service import WHERE, with_cluster
from tests.api.fabric_service import await_job, run_jobs
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.tuner.hosts.fake_cluster import FakeCluster
from tuner.backends import cluster

TOLD = "Campaign 'first' of operator measures on fabric 'cluster'; this one starts after it."


@pytest.fixture
def site(any_service: Service) -> Service:
    with_inventory(with_cluster(any_service).as_role("admin"), INVENTORY, WHERE)
    return any_service


def queued(service: Service, *names: str, **more: Any) -> list[dict[str, Any]]:
    """Campaigns of two trials, started in that order."""
    operator = service.as_role("operator")
    drafts = [created(operator, name=name, fabric="cluster", settings={"budget.trials": 2}, **more) for name in names]
    return [act(operator, draft, "start").json() for draft in drafts]


@pytest.mark.slow
@pytest.mark.parametrize("database_url", ["postgresql", "sqlite"], indirect=True)
def test_the_second_begins_when_the_first_has_ended(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one cluster, which refuses a second holder; what measures in the simulator runs beside them."""
    one = FakeCluster()
    monkeypatch.setattr(cluster, "_driver", lambda name, options: one)
    operator = site.as_role("operator")
    begun = threading.Barrier(2, timeout=60)  # the first and the simulated one
    original = CampaignJob._begin

    def begin(self: Any, context: Any, campaign_id: str) -> Any:
        facts: Any = original(self, context, campaign_id)
        if facts.name != "second":
            begun.wait()
            with site.database.reading() as session:
                states = {row.name: row.state for row in session.scalars(select(StoredCampaign))}
            assert states["second"] == "queued"
        return facts

    monkeypatch.setattr(CampaignJob, "_begin", begin)
    jobs = [one["job"] for one in (*queued(site, "first", "second"), *queued(site, "beside", on_simulator=True))]
    worker = Worker(site.database, site.settings, slots=3, place="both", poll_s=0.02)
    worker.start()
    try:
        ended = [await_job(operator, job, 240) for job in jobs]
    finally:
        worker.stop()
    assert [job["state"] for job in ended] == ["done"] * 3, ended
    assert ended[1]["started_at"] >= ended[0]["ended_at"]


@pytest.mark.long
def test_the_second_says_whom_it_waits_for(site: Service) -> None:
    operator = site.as_role("operator")
    first, second = queued(site, "first", "second")
    (beside,) = queued(site, "beside", on_simulator=True)
    with site.database.writing() as session:
        assert lease.take(session, "a", "both", 60.0) is not None
    assert (seen(operator, second)["state"], seen(operator, second)["problem"]) == ("queued", TOLD)
    assert [seen(operator, one)["problem"] for one in (first, beside)] == [None, None]
    with site.database.writing() as session:  # its window has begun, and the other one was faster
        row, job = session.get_one(StoredCampaign, second["id"]), session.get_one(Job, second["job"])
        row.state, row.problem = "waiting", "outside its maintenance windows"
        row.waits_until = job.not_before = now() - timedelta(hours=1)
    held = seen(operator, second)
    assert (held["state"], held["problem"], held["resumes_at"]) == ("waiting", TOLD, None)
    with site.database.writing() as session:
        row, job = session.get_one(StoredCampaign, second["id"]), session.get_one(Job, second["job"])
        row.waits_until = job.not_before = now() + timedelta(hours=1)
    assert seen(operator, second)["problem"] == "outside its maintenance windows"


@pytest.mark.long
def test_of_workers_that_take_jobs_in_the_same_moment_the_second_sees_the_first(site: Service) -> None:
    """The one has taken the later campaign, as the earlier one had to wait; before it says so, the earlier one is due."""
    first, second = queued(site, "first", "second")
    with site.database.writing() as session:
        session.get_one(Job, first["job"]).not_before = due = now() + timedelta(seconds=3)
    taken: list[Job | None] = []

    def take() -> None:
        while now() < due:
            threading.Event().wait(0.01)
        with site.database.writing() as session:
            taken.append(lease.take(session, "b", "both", 60.0))

    other = threading.Thread(target=take)
    with site.database.writing() as session:
        job = lease.take(session, "a", "both", 60.0)
        assert job is not None
        assert job.id == second["job"]
        other.start()
        other.join(4.0)  # without a lock it would end here
    other.join()
    assert taken == [None]


def test_whoever_pauses_them_all_and_a_worker_do_not_wait_for_each_other(site: Service) -> None:
    """The worker has the second one's job, and tells of it."""
    first, second = queued(site, "first", "second")
    has_it = threading.Event()

    def tell() -> None:
        with site.database.writing() as session:
            job = session.get_one(Job, second["job"], with_for_update=True)
            has_it.set()
            threading.Event().wait(0.5)  # until the other one waits for the row
            publish_job(session, job)

    worker = threading.Thread(target=tell)
    worker.start()
    assert has_it.wait(30)
    with site.database.writing() as session:
        assert set(pause_holders(session, system("anna"), "cluster")) == {first["id"], second["id"]}
    worker.join()
    assert [seen(site.as_role("operator"), one)["state"] for one in (first, second)] == ["paused", "paused"]


@pytest.mark.parametrize(("ended", "state", "problem"), [("cancelled", "paused", None), ("failed", "failed", "it was lost")])
def test_what_could_not_be_told_in_time_is_told_later(site: Service, ended: str, state: str, problem: str | None) -> None:
    (campaign,) = queued(site, "first")
    with site.database.writing() as session:
        job = session.get_one(Job, campaign["job"])
        job.state, job.problem = ended, problem
    with site.database.writing() as session:
        lease.recover(session)
    told = seen(site.as_role("operator"), campaign)
    assert (told["state"], told["problem"], told["ended_at"] is not None) == (state, problem, state == "failed")


@pytest.mark.parametrize(("wish", "state"), [("pause", "paused"), ("stop", "stopped")])
def test_a_wish_that_was_not_granted_before_the_server_ended_is_granted_before_anything_is_measured(
    site: Service, wish: str, state: str
) -> None:
    """Also while another campaign has the fabric."""
    first, second = queued(site, "first", "second")
    with site.database.writing() as session:
        assert lease.take(session, own_identity(), "both", 600.0) is not None
        row = session.get_one(StoredCampaign, second["id"])
        row.state, row.requested_action = "pausing", wish
    operator = site.as_role("operator")
    assert run_jobs(site, operator, second["job"])["state"] == "done"
    assert seen(operator, second)["state"] == state
    with site.database.reading() as session:
        assert session.get_one(Job, first["job"]).state == "running"


def test_one_whose_worker_was_lost_holds_up_nobody(site: Service) -> None:
    operator = site.as_role("operator")
    first, second = queued(site, "first", "second")
    for _ in range(MAX_ATTEMPTS):
        with site.database.writing() as session:
            job = lease.take(session, "a", "both", 0.0)
            assert job is not None
            assert job.id == first["job"]
            session.get_one(StoredCampaign, first["id"]).state = "running"
        with site.database.writing() as session:
            assert lease.recover(session) == 1
    failed = seen(operator, first)
    assert failed["state"] == "failed"
    assert "was lost 5 times" in failed["problem"]
    with site.database.writing() as session:
        job = lease.take(session, "b", "both", 60.0)
        assert job is not None
        assert job.id == second["job"]
    assert act(operator, failed, "resume").json()["problem"] == TOLD.replace("first", "second")
