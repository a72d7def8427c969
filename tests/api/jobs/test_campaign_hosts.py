# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns on a fabric with real hosts take its inventory. The cluster is a pretended one, as nobody has one for tests."""

import threading
from collections.abc import Callable
from datetime import datetime, timedelta
from itertools import groupby
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from api.database.models.campaign import StoredCampaign
from api.database.models.event import Event
from api.database.models.job import Job
from api.jobs import lease
from api.jobs.kinds.campaign import CampaignJob
from api.jobs.worker import Worker
from api.services.campaign_files import INVENTORY as FILE
from api.times import now
from tests.api.answer_cases import INVENTORY
from tests.api.campaign_service import CAMPAIGNS, SHORT, act, created, seen
from tests.api.fabric_service import await_job, once, run_jobs, with_default_fabric
from tests.api.host_site import with_inventory
from tests.api.service import Service
from tests.tuner.cluster.fake_cluster import FakeCluster
from tuner.backends import cluster
from tuner.backends.registry import BackendOptions
from tuner.cluster.driver import TrafficRun
from tuner.documents import catalogue
from tuner.documents.inventory import Inventory, load_inventory
from tuner.documents.workload import Workload
from tuner.errors import WindowClosedError

WHERE = "/api/v1/fabrics/cluster"
WIRING = catalogue.find("fabric", "two-switch").read_text(encoding="utf-8")


def with_cluster(service: Service) -> Service:
    """With a fabric of kind plugin, whose wiring is a document of its own."""
    options = {"socket": "/run/ibcc/nowhere.sock", "document": WIRING}
    body = {"name": "cluster", "kind": "plugin", "options": options}
    assert with_default_fabric(service).as_role("admin").post("/api/v1/fabrics", json=body).status_code == 201
    return service


@pytest.fixture
def site(service: Service) -> Service:
    return with_cluster(service)


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> list[Inventory]:
    """The inventories that drivers were given."""
    given: list[Inventory] = []

    def driver(name: str | None, options: BackendOptions) -> FakeCluster:
        given.append(load_inventory(options.settings["backend.inventory"]))
        return FakeCluster()

    monkeypatch.setattr(cluster, "_driver", driver)
    return given


def test_without_an_inventory_a_campaign_is_refused(site: Service) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    body = {"name": "short", "fabric": "cluster", "template": "scenario-1", "settings": SHORT}
    refused = operator.post(CAMPAIGNS, json=body)
    assert refused.status_code == 422
    assert "fabric 'cluster' has no inventory" in refused.json()["detail"]
    assert created(operator, fabric="cluster", on_simulator=True)["state"] == "draft"
    with_inventory(admin, INVENTORY, WHERE)
    draft = created(operator, fabric="cluster")
    assert admin.delete(f"{WHERE}/inventory", headers={"If-Match": "*"}).status_code == 204
    late = act(operator, draft, "start")
    assert (late.status_code, "has no inventory" in late.json()["detail"]) == (409, True)


def test_a_workload_with_a_host_that_the_inventory_lacks_is_refused_at_once(site: Service) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    with_inventory(admin, INVENTORY.replace("[1-7]", "[1-6]"), WHERE)
    refused = operator.post(CAMPAIGNS, json={"name": "short", "fabric": "cluster", "template": "scenario-1", "settings": SHORT})
    assert (refused.status_code, refused.json()["type"]) == (422, "/problems/invalid-input")
    assert refused.json()["detail"] == "workload 'scenario-1' needs host 'H7', which is not in inventory 'lab'"
    assert operator.get(CAMPAIGNS).json()["items"] == []
    assert created(operator, fabric="cluster", on_simulator=True)["state"] == "draft"


def test_a_campaign_takes_the_hosts_as_they_are_when_it_starts(site: Service, taken: list[Inventory]) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    with_inventory(admin, INVENTORY, WHERE)
    draft = created(operator, fabric="cluster", settings={"budget.trials": 2})
    changed = {"document": INVENTORY.replace("node[", "big[")}
    assert admin.put(f"{WHERE}/inventory", json=changed, headers={"If-Match": "*"}).status_code == 200
    assert act(operator, draft, "start").status_code == 202
    job = run_jobs(site, operator, seen(operator, draft)["job"], 240)
    assert job["state"] == "done", job
    ended = seen(operator, draft)
    assert (ended["state"], ended["trials_done"]) == ("finished", 2)
    assert taken[0].by_host["H1"].node == "big1"
    assert (taken[0].subnet_manager.socket, taken[0].subnet_manager.node) == ("/run/ibcc/nowhere.sock", None)
    folder = site.settings.state_folder / "campaigns" / draft["id"]
    assert Path(taken[0].fabric) == (folder / "fabric.yaml").absolute()
    assert (folder / FILE).is_file()


class Shut(FakeCluster):
    """Its maintenance window ends after two runs; the next one begins `after_s` later."""

    def __init__(self, after_s: float) -> None:
        super().__init__()
        self.after_s = after_s
        self.opens_at: datetime | None = None

    def start(self, workload: Workload, *, seed: int) -> TrafficRun:
        if self.opens_at is None and len(self.runs) == 2:
            self.opens_at = now() + timedelta(seconds=self.after_s)
        if self.opens_at is not None and now() < self.opens_at:
            raise WindowClosedError("the maintenance window ends at 06:00 UTC, before another measurement would", self.opens_at)
        return super().start(workload, seed=seed)


@pytest.fixture
def shut(site: Service, monkeypatch: pytest.MonkeyPatch) -> Callable[[float], dict[str, Any]]:
    """A campaign that was started on such a cluster."""

    def start(after_s: float) -> dict[str, Any]:
        with_inventory(site.as_role("admin"), INVENTORY, WHERE)
        one = Shut(after_s)
        monkeypatch.setattr(cluster, "_driver", lambda name, options: one)
        operator = site.as_role("operator")
        draft = created(operator, fabric="cluster", settings={"budget.trials": 2})
        started: dict[str, Any] = act(operator, draft, "start").json()
        return started

    return start


def test_a_campaign_goes_on_by_itself_in_the_next_maintenance_window(
    site: Service, shut: Callable[[float], dict[str, Any]]
) -> None:
    operator = site.as_role("operator")
    campaign = shut(1.0)
    job = run_jobs(site, operator, campaign["job"], 240)
    assert job["state"] == "done", job
    ended = seen(operator, campaign)
    assert (ended["state"], ended["trials_done"], ended["problem"], ended["resumes_at"]) == ("finished", 2, None, None)
    with site.database.reading() as session:
        told = session.scalars(select(Event).where(Event.topic == f"campaign:{campaign['id']}").order_by(Event.id)).all()
    states = [event.data["state"] for event in told if event.kind == "state"]
    assert [state for state, _ in groupby(states)] == ["draft", "queued", "running", "waiting", "running", "finished"]
    waiting = next(event.data for event in told if event.data.get("state") == "waiting")
    assert waiting["resumes_at"] is not None
    assert "the maintenance window ends" in waiting["problem"]


@pytest.mark.parametrize(("action", "state"), [("pause", "paused"), ("stop", "stopped")])
def test_a_campaign_that_waits_for_its_window_obeys(
    site: Service, shut: Callable[[float], dict[str, Any]], action: str, state: str
) -> None:
    operator, admin = site.as_role("operator"), site.as_role("admin")
    campaign = shut(3600.0)
    worker = Worker(site.database, site.settings, slots=1, place="both", poll_s=0.02)
    worker.start()
    try:
        for _ in range(3000):
            if seen(operator, campaign)["state"] == "waiting":
                break
            threading.Event().wait(0.02)
    finally:
        worker.stop()
    waits = seen(operator, campaign)
    assert (waits["state"], waits["resumes_at"] is not None) == ("waiting", True)
    job = operator.get(f"/api/v1/jobs/{campaign['job']}").json()
    assert (job["state"], job["not_before"]) == ("queued", waits["resumes_at"])
    tag = admin.get(WHERE).headers["ETag"]
    busy = admin.delete(WHERE, headers={"If-Match": tag})
    assert (busy.status_code, "is waiting on fabric 'cluster'" in busy.json()["detail"]) == (409, True)
    assert operator.post(f"{WHERE}/hosts/check", headers=once()).status_code == 202, "nothing is measured now"
    ended = act(operator, campaign, action).json()
    assert (ended["state"], ended["resumes_at"]) == (state, None)
    assert operator.get(f"/api/v1/jobs/{campaign['job']}").json()["state"] == "cancelled"
    assert act(operator, campaign, "resume").json()["state"] == "queued"


def test_what_a_person_wishes_as_the_window_ends_is_done(
    site: Service, shut: Callable[[float], dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    operator = site.as_role("operator")
    campaign = shut(3600.0)
    original = CampaignJob._await_window

    def await_window(self: Any, *arguments: Any) -> None:
        assert act(operator, campaign, "pause").json()["state"] == "pausing"
        original(self, *arguments)

    monkeypatch.setattr(CampaignJob, "_await_window", await_window)
    assert run_jobs(site, operator, campaign["job"], 60)["state"] == "done"
    assert seen(operator, campaign)["state"] == "paused"


def test_campaigns_on_one_fabric_go_one_after_the_other(site: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """On one cluster, which refuses a second holder; those in the simulator run beside them."""
    with_inventory(site.as_role("admin"), INVENTORY, WHERE)
    one = FakeCluster()
    monkeypatch.setattr(cluster, "_driver", lambda name, options: one)
    operator = site.as_role("operator")
    short = {"budget.trials": 2}
    begun = threading.Barrier(2, timeout=60)  # the first and the simulated one
    original = CampaignJob._begin

    def begin(self: Any, context: Any, campaign_id: str) -> Any:
        facts = original(self, context, campaign_id)
        if facts.name != "second":
            begun.wait()
            with site.database.reading() as session:
                states = {row.name: row.state for row in session.scalars(select(StoredCampaign))}
            assert states["second"] == "queued"
        return facts

    monkeypatch.setattr(CampaignJob, "_begin", begin)
    on_hosts = [created(operator, name=name, fabric="cluster", settings=short) for name in ("first", "second")]
    beside = created(operator, name="beside", fabric="cluster", settings=short, on_simulator=True)
    jobs = [act(operator, draft, "start").json()["job"] for draft in (*on_hosts, beside)]
    with site.database.writing() as session:
        session.get_one(Job, jobs[0]).state = "running"
    told = "Campaign 'first' of operator measures on fabric 'cluster'; this one begins after it."
    assert (seen(operator, on_hosts[1])["state"], seen(operator, on_hosts[1])["problem"]) == ("queued", told)
    assert seen(operator, beside)["problem"] is None
    with site.database.writing() as session:
        session.get_one(Job, jobs[0]).state = "queued"
    assert seen(operator, on_hosts[1])["problem"] is None
    worker = Worker(site.database, site.settings, slots=3, place="both", poll_s=0.02)
    worker.start()
    try:
        ended = [await_job(operator, job, 240) for job in jobs]
    finally:
        worker.stop()
    assert [job["state"] for job in ended] == ["done"] * 3, ended
    assert ended[1]["started_at"] >= ended[0]["ended_at"]
    assert seen(operator, on_hosts[1])["state"] == "finished"


def test_of_workers_that_take_jobs_in_the_same_moment_the_second_sees_the_first(any_service: Service) -> None:
    operator = with_cluster(any_service).as_role("operator")
    with_inventory(any_service.as_role("admin"), INVENTORY, WHERE)
    drafts = [created(operator, name=name, fabric="cluster") for name in ("first", "second")]
    first, _ = (act(operator, draft, "start").json()["job"] for draft in drafts)
    taken: list[Job | None] = []

    def take() -> None:
        with any_service.database.writing() as session:
            taken.append(lease.take(session, "b", "both", 60.0))

    other = threading.Thread(target=take)
    with any_service.database.writing() as session:
        job = lease.take(session, "a", "both", 60.0)
        assert job is not None
        assert job.id == first
        other.start()
        other.join(0.5)  # in PostgreSQL it ends before this transaction
    other.join()
    assert taken == [None]


def test_no_check_disturbs_a_measurement(site: Service) -> None:
    operator = site.as_role("operator")
    with_inventory(site.as_role("admin"), INVENTORY, WHERE)
    draft = created(operator, fabric="cluster")
    with site.database.writing() as session:
        session.get_one(StoredCampaign, draft["id"]).state = "running"
    refused = operator.post(f"{WHERE}/hosts/check", headers=once())
    assert (refused.status_code, refused.json()["type"]) == (409, "/problems/busy")
    assert draft["id"] in refused.json()["detail"]
