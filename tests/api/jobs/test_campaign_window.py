# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns whose maintenance window ends: they wait, obey meanwhile, and go on by themselves."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from typing import Any

import pytest
from sqlalchemy import select

from api.access.principal import system
from api.base.times import now
from api.database.models.campaign import StoredCampaign
from api.database.models.event import Event
from api.database.models.job import Job
from api.jobs.kinds.campaign import CampaignJob
from api.jobs.worker import Worker
from api.services.campaigns.holds import pause_holders
from tests.api.answer_cases import INVENTORY
from tests.api.campaign_service import CAMPAIGNS, act, created, seen
from tests.api.cluster_service import WHERE, with_cluster
from tests.api.fabric_service import once, run_jobs
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.tuner.hosts.fake_cluster import FakeCluster
from tuner.backends import cluster
from tuner.documents.workload import Workload
from tuner.errors import UnreachableError, WindowClosedError
from tuner.hosts.driver import TrafficRun

ENDS = "the maintenance window ends at 06:00 UTC, before another measurement would"


class Shut(FakeCluster):
    """Its maintenance window ends after `n` runs; the next one begins `after_s` later, and `then` may be refused."""

    def __init__(self, after_s: float, n: int, then: Exception | None) -> None:
        super().__init__()
        self.after_s, self.n, self.then = after_s, n, then
        self.opens_at: datetime | None = None

    def start(self, workload: Workload, *, seed: int) -> TrafficRun:
        if self.opens_at is None and len(self.runs) == self.n:
            self.opens_at = now() + timedelta(seconds=self.after_s)
        if self.opens_at is not None and now() < self.opens_at:
            raise WindowClosedError(ENDS, self.opens_at)
        if self.opens_at is not None and self.then is not None:
            raise self.then
        return super().start(workload, seed=seed)


Start = Callable[..., dict[str, Any]]


@pytest.fixture
def site(service: Service) -> Service:
    with_inventory(with_cluster(service).as_role("admin"), INVENTORY, WHERE)
    return service


@pytest.fixture
def started(site: Service, monkeypatch: pytest.MonkeyPatch) -> Start:
    """A campaign on such a cluster, queued."""

    def start(after_s: float, *, n: int = 2, trials: int = 2, then: Exception | None = None) -> dict[str, Any]:
        one = Shut(after_s, n, then)
        monkeypatch.setattr(cluster, "_driver", lambda name, options: one)
        operator = site.as_role("operator")
        draft = created(operator, fabric="cluster", settings={"budget.trials": trials})
        queued: dict[str, Any] = act(operator, draft, "start").json()
        return queued

    return start


@pytest.fixture
def waiting(site: Service, started: Start) -> Start:
    """One that has been begun, and waits."""

    def wait(*arguments: Any, **more: Any) -> dict[str, Any]:
        campaign = started(*arguments, **more)
        worker = Worker(site.database, site.settings, slots=1, place="both", poll_s=0.02)
        worker.start()
        try:
            for _ in range(3000):
                found: dict[str, Any] = seen(site.as_role("operator"), campaign)
                if found["state"] == "waiting":
                    return found
                threading.Event().wait(0.02)
        finally:
            worker.stop()
        raise AssertionError(f"the campaign is {found['state']}: {found['problem']}")

    return wait


@pytest.mark.long
def test_it_goes_on_by_itself_in_the_next_window(site: Service, started: Start) -> None:
    operator = site.as_role("operator")
    campaign = started(1.0)
    job = run_jobs(site, operator, campaign["job"], 240)
    assert (job["state"], job["attempts"]) == ("done", 1), job
    ended = seen(operator, campaign)
    assert (ended["state"], ended["trials_done"], ended["problem"], ended["resumes_at"]) == ("finished", 2, None, None)
    with site.database.reading() as session:
        told = session.scalars(select(Event).where(Event.topic == f"campaign:{campaign['id']}").order_by(Event.id)).all()
    states = [event.data["state"] for event in told if event.kind == "state"]
    assert [state for state, _ in groupby(states)] == ["draft", "queued", "running", "waiting", "running", "finished"]
    waited = next(event.data for event in told if event.data.get("state") == "waiting")
    assert waited["resumes_at"] is not None
    assert waited["problem"] == ENDS


@pytest.mark.thorough
@pytest.mark.long
@pytest.mark.parametrize("windows", ["", "maintenance:\n- {from: '00:00', to: '24:00'}\n"])
def test_with_a_second_person_it_runs_in_windows_that_an_admin_gave_or_not_at_all(
    site: Service, started: Start, windows: str
) -> None:
    """A campaign of one profile, again and again, is a promotion that nobody approved."""
    site.settings.second_person = True
    admin, operator = site.as_role("admin"), site.as_role("operator")
    found = admin.get(f"{WHERE}/inventory").headers["ETag"]
    changed = admin.put(f"{WHERE}/inventory", json={"document": INVENTORY + windows}, headers={"If-Match": found})
    assert changed.status_code == 200, changed.text
    campaign = started(0.0)
    job = run_jobs(site, operator, campaign["job"], 240)
    assert job["state"] == ("done" if windows else "failed"), job
    if not windows:
        assert "its inventory has no maintenance windows" in seen(operator, campaign)["problem"]


@pytest.mark.long
def test_while_it_waits_its_hosts_are_free_and_its_fabric_is_kept(site: Service, waiting: Start) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    campaign = waiting(3600.0)
    assert campaign["problem"] == ENDS
    job = operator.get(f"/api/v1/jobs/{campaign['job']}").json()
    assert (job["state"], job["not_before"]) == ("queued", campaign["resumes_at"])
    assert operator.post(f"{WHERE}/hosts/check", headers=once()).status_code == 202
    busy = admin.delete(WHERE, headers={"If-Match": admin.get(WHERE).headers["ETag"]})
    assert busy.status_code == 409


@pytest.mark.long
@pytest.mark.parametrize(("action", "state"), [("pause", "paused"), ("stop", "stopped")])
def test_what_a_person_wishes_while_it_waits_is_done_at_once(site: Service, waiting: Start, action: str, state: str) -> None:
    operator = site.as_role("operator")
    campaign = waiting(3600.0)
    ended = act(operator, campaign, action).json()
    assert (ended["state"], ended["resumes_at"], ended["problem"]) == (state, None, None)
    assert operator.get(f"/api/v1/jobs/{campaign['job']}").json()["state"] == "cancelled"
    resumed = act(operator, campaign, "resume").json()
    assert (resumed["state"], resumed["resumes_at"]) == ("queued", None)


@pytest.mark.long
def test_whoever_wants_the_base_back_keeps_it(site: Service, waiting: Start) -> None:
    """The campaign would take the fabric away again at night."""
    campaign = waiting(3600.0)
    with site.database.writing() as session:
        assert pause_holders(session, system("anna"), "cluster") == [campaign["id"]]
    paused = seen(site.as_role("operator"), campaign)
    assert (paused["state"], paused["resumes_at"]) == ("paused", None)
    assert "has restored the base profile of fabric 'cluster'" in paused["problem"]


@pytest.mark.long
def test_it_is_paused_when_its_job_is_cancelled(site: Service, waiting: Start) -> None:
    operator = site.as_role("operator")
    campaign = waiting(3600.0)
    assert operator.post(f"/api/v1/jobs/{campaign['job']}/cancel").status_code == 202
    paused = seen(operator, campaign)
    assert (paused["state"], paused["resumes_at"], paused["problem"]) == ("paused", None, None)
    assert operator.get(f"{CAMPAIGNS}?state=waiting").json()["items"] == []
    assert act(operator, campaign, "resume").json()["state"] == "queued"


@pytest.mark.slow
@pytest.mark.long
def test_told_to_finish_it_measures_no_more_trials(site: Service, waiting: Start) -> None:
    operator = site.as_role("operator")
    campaign = waiting(1.5, n=7, trials=40)
    assert campaign["trials_done"] > 0
    assert act(operator, campaign, "stop", {"confirm": True}).status_code == 202
    assert run_jobs(site, operator, campaign["job"], 240)["state"] == "done"
    ended = seen(operator, campaign)
    assert (ended["state"], ended["trials_done"]) == ("finished", campaign["trials_done"])


@pytest.mark.thorough
@pytest.mark.long
def test_a_window_that_is_too_short_by_then_costs_no_trials(site: Service, started: Start) -> None:
    operator = site.as_role("operator")
    campaign = started(0.5, n=7, trials=40, then=UnreachableError("a measurement takes 3600 s, and the longest window 1380 s"))
    assert run_jobs(site, operator, campaign["job"], 240)["state"] == "failed"
    failed = seen(operator, campaign)
    assert (failed["state"], failed["resumes_at"]) == ("failed", None)
    assert "the longest window 1380 s" in failed["problem"]
    assert {trial["state"] for trial in seen(operator, campaign, "/trials")["items"]} == {"complete"}


@pytest.mark.long
def test_what_a_person_wishes_as_the_window_ends_is_done(site: Service, started: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = site.as_role("operator")
    campaign = started(3600.0)
    original = CampaignJob._await_window

    def await_window(self: Any, *arguments: Any) -> None:
        assert act(operator, campaign, "pause").json()["state"] == "pausing"
        original(self, *arguments)

    monkeypatch.setattr(CampaignJob, "_await_window", await_window)
    assert run_jobs(site, operator, campaign["job"], 60)["state"] == "done"
    assert seen(operator, campaign)["state"] == "paused"


@pytest.mark.long
def test_what_a_person_wishes_just_after_it_is_done_too(site: Service, started: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    operator = site.as_role("operator")
    campaign = started(3600.0)
    original = CampaignJob._await_window

    def await_window(self: Any, *arguments: Any) -> None:
        try:
            original(self, *arguments)
        finally:
            assert act(operator, campaign, "pause").json()["state"] == "paused"

    monkeypatch.setattr(CampaignJob, "_await_window", await_window)
    assert run_jobs(site, operator, campaign["job"], 60)["state"] == "cancelled"
    assert seen(operator, campaign)["state"] == "paused"


@pytest.mark.long
def test_a_job_that_is_cancelled_as_the_window_ends_leaves_it_paused(
    site: Service, started: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = site.as_role("operator")
    campaign = started(3600.0)
    original = CampaignJob._await_window

    def await_window(self: Any, *arguments: Any) -> None:
        assert operator.post(f"/api/v1/jobs/{campaign['job']}/cancel").status_code == 202
        original(self, *arguments)

    monkeypatch.setattr(CampaignJob, "_await_window", await_window)
    assert run_jobs(site, operator, campaign["job"], 60)["state"] == "cancelled"
    assert seen(operator, campaign)["state"] == "paused"


@pytest.mark.long
def test_a_worker_that_has_lost_the_job_changes_nothing(site: Service, started: Start, monkeypatch: pytest.MonkeyPatch) -> None:
    campaign = started(3600.0)
    original = CampaignJob._await_window
    over = threading.Event()

    def await_window(self: Any, *arguments: Any) -> None:
        with site.database.writing() as session:
            job = session.get_one(Job, campaign["job"])
            job.worker, job.lease_until = "another", now() + timedelta(hours=1)
        try:
            original(self, *arguments)
        finally:
            over.set()

    monkeypatch.setattr(CampaignJob, "_await_window", await_window)
    worker = Worker(site.database, site.settings, slots=1, place="both", poll_s=0.02)
    worker.start()
    try:
        assert over.wait(60)
    finally:
        worker.stop()
    with site.database.reading() as session:
        row, job = session.get_one(StoredCampaign, campaign["id"]), session.get_one(Job, campaign["job"])
        assert (row.state, job.state, job.worker, job.not_before) == ("running", "running", "another", None)
