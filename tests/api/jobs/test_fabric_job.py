# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Jobs on a fabric, in either database, and after a worker was lost."""

import threading
from dataclasses import dataclass, field
from typing import Any

import pytest
from fastapi.testclient import TestClient

from api.base.times import now
from api.database.models.fabric import FabricRecord
from api.database.models.job import Job
from api.fabric_drivers.base import FabricDriver, Memory
from api.fabric_drivers.documents import WiringOptions, built_wiring
from api.fabric_drivers.emulated import EmulatedKind
from api.fabric_drivers.hosting import HostedFabrics
from api.fabric_drivers.registry import FabricSpec
from api.fabric_drivers.simulated import SimulatedFabric
from api.jobs.kinds.rollback import RollbackJob
from api.queue.context import JobContext
from api.services.fabric_hosting import FabricHosting
from tests.api.fabric_service import FABRIC, once, run_jobs, with_default_fabric
from tests.api.service import Service


@dataclass
class Never:
    """No reason to stop."""

    stop: threading.Event = field(default_factory=threading.Event)
    cancelled: threading.Event = field(default_factory=threading.Event)


def done(service: Service, client: TestClient, action: str, body: Any = None) -> Any:
    answer = client.post(f"{FABRIC}/{action}", json=body, headers=once())
    assert answer.status_code == 202, answer.text
    return run_jobs(service, client, answer.json()["id"])


def promoted(service: Service, client: TestClient, profile: str) -> Any:
    plan = client.post(f"{FABRIC}/plan", json={"profile": profile}).json()
    body = {"fabric": "two-switch", "profile": profile, "version": 1, "plan_digest": plan["digest"]}
    answer = client.post("/api/v1/promotions", json=body, headers=once())
    assert answer.status_code == 202, answer.text
    return run_jobs(service, client, answer.json()["job"])


def base(client: TestClient) -> Any:
    return client.get(f"{FABRIC}/state").json()["base_profile"]["name"]


@pytest.mark.long
def test_all_that_is_done_to_a_fabric_in_both_databases(any_service: Service) -> None:
    with_default_fabric(any_service)
    operator, admin = any_service.as_role("operator"), any_service.as_role("admin")
    tag = admin.get(FABRIC).headers["ETag"]
    assert admin.patch(FABRIC, json={"description": "x"}, headers={"If-Match": tag}).status_code == 200
    for action, body in (("apply", {"profile": "gran-2010", "ttl_s": 600}), ("verify", None), ("restore", None)):
        job = done(any_service, operator, action, body)
        assert (job["state"], job["result"]["good"]) == ("done", True), job
    assert promoted(any_service, operator, "gran-2010")["state"] == "done"
    assert base(operator) == "gran-2010"
    assert done(any_service, operator, "rollback")["state"] == "done"
    assert base(operator) == "off"


def test_a_rollback_that_is_done_again_goes_back_once(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """As when the worker is lost after the fabric has changed, and before the job says so."""
    with_default_fabric(service)
    operator = service.as_role("operator")
    promoted(service, operator, "gran-2012")
    promoted(service, operator, "gran-2010")
    act = RollbackJob.act
    lost: list[Any] = []

    def act_and_be_lost(self: RollbackJob, *arguments: Any) -> Any:
        outcome = act(self, *arguments)
        if not lost:
            lost.append(outcome)
            return act(self, *arguments)
        return outcome

    monkeypatch.setattr(RollbackJob, "act", act_and_be_lost)
    assert done(service, operator, "rollback")["state"] == "done"
    assert lost
    assert base(operator) == "gran-2012"


def test_a_job_waits_for_the_one_that_works_on_the_fabric(service: Service) -> None:
    with_default_fabric(service)
    operator = service.as_role("operator")
    first = operator.post(f"{FABRIC}/verify", headers=once()).json()
    with service.database.writing() as session:  # as if another worker had it
        row = session.get_one(Job, first["id"])
        row.state, row.worker, row.lease_until, row.started_at = "running", None, None, now()
    second = operator.post(f"{FABRIC}/restore", headers=once()).json()
    run_jobs(service, operator, second["id"])
    jobs = {job["id"]: job for job in operator.get("/api/v1/jobs").json()["items"]}
    assert jobs[first["id"]]["state"] == "done", "it was lost, and taken up again first"
    assert jobs[first["id"]]["ended_at"] <= jobs[second["id"]]["ended_at"]


def test_one_that_lost_its_worker_is_still_ahead(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between its way back into the queue and another worker, it neither runs nor may be passed."""
    with_default_fabric(service)
    operator = service.as_role("operator")
    first, second = (operator.post(f"{FABRIC}/{action}", headers=once()).json()["id"] for action in ("verify", "restore"))
    asked: list[str] = []

    def wait(self: JobContext, seconds: float) -> None:
        asked.append(self.job_id)
        with service.database.writing() as session:
            session.get_one(Job, first).state = "done"

    monkeypatch.setattr(JobContext, "wait", wait)
    with service.database.writing() as session:
        lost, row = session.get_one(Job, first), session.get_one(Job, second)
        lost.state, lost.started_at = "queued", now()
        row.state, row.worker = "running", "this one"
    RollbackJob()._await_turn(JobContext(service.database, service.settings, second, 1, Never(), "this one"), "two-switch")
    assert asked == [second]


def test_a_job_waits_for_a_fabric_that_the_server_starts_again(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    """As after the server was killed during a push."""
    wiring = built_wiring(WiringOptions(fabric="two-switch"))
    assert wiring is not None

    def connect(kind: EmulatedKind, spec: FabricSpec, memory: Memory) -> FabricDriver:
        kind._runtime(spec)
        return SimulatedFabric(wiring, memory)

    monkeypatch.setattr(EmulatedKind, "connect", connect)
    monkeypatch.setattr(HostedFabrics, "start", lambda hosted, spec, base: None)
    made = {"name": "lab", "kind": "emulated", "options": {"fabric": "two-switch"}}
    assert service.as_role("admin").post("/api/v1/fabrics", json=made).status_code == 201
    sockets = {"plugin_socket": "/nowhere", "control_socket": "/nowhere"}

    def runs(**runtime: str) -> None:
        with service.database.writing() as session:
            session.get_one(FabricRecord, "lab").runtime = runtime

    runs(**sockets)
    operator = service.as_role("operator")
    job = operator.post("/api/v1/fabrics/lab/verify", headers=once()).json()
    hosting = FabricHosting(service.database, look_s=3600)
    hosting.start()  # as the next server does
    try:
        waited: list[str] = []

        def wait(self: JobContext, seconds: float) -> None:
            waited.append(self.job_id)
            runs(**sockets)

        monkeypatch.setattr(JobContext, "wait", wait)
        assert run_jobs(service, operator, job["id"])["state"] == "done"
        assert waited == [job["id"]]
    finally:
        hosting.stop()
