# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What tests of fabrics, profiles and campaigns do with a service."""

import threading
from collections.abc import Callable
from typing import Any

from fastapi.testclient import TestClient

from api.access.principal import system
from api.base.identifiers import new_id
from api.database.models.job import Job
from api.jobs.worker import Worker
from api.services.fabrics import ensure_default
from tests.api.service import Service

FABRIC = "/api/v1/fabrics/two-switch"
FINISHED = ("done", "failed", "cancelled")

LOAD: dict[str, Any] = {
    "at": None,
    "campaign": None,
    "workload": None,
    "measured": {
        "recommended": {
            "profile": "recommended",
            "digest": "",
            "trial": None,
            "devices": {"0x0000000000000001": 0.5, "0x0000000000000002": 0.1},
            "ports": [],
        }
    },
}
"""Congestion of a simulated fabric, as a campaign leaves it."""


def with_default_fabric(service: Service) -> Service:
    """As the server's start leaves it."""
    with service.database.writing() as session:
        ensure_default(session, system("test"))
    return service


def once() -> dict[str, str]:
    """Headers of a request that touches a fabric."""
    return {"Idempotency-Key": new_id()}


def run_jobs(service: Service, client: TestClient, job_id: str, timeout_s: float = 300.0) -> dict[str, Any]:
    """Has a worker run until that job has ended; the job. It looks into the database: a request costs ten times as much, and
    takes that from the worker."""
    worker = Worker(service.database, service.settings, slots=1, place="both", poll_s=0.02)
    worker.start()
    try:
        _until_ended(lambda: _state(service, job_id), job_id, timeout_s)
        job: dict[str, Any] = client.get(f"/api/v1/jobs/{job_id}").json()
        return job
    finally:
        worker.stop()


def _state(service: Service, job_id: str) -> str:
    with service.database.reading() as session:
        return session.get_one(Job, job_id).state


def await_job(client: TestClient, job_id: str, timeout_s: float = 300.0) -> dict[str, Any]:
    """Looks until the job has ended; tests of events listen instead."""
    job: dict[str, Any] = {}

    def state() -> str:
        job.update(client.get(f"/api/v1/jobs/{job_id}").json())
        return str(job["state"])

    _until_ended(state, job_id, timeout_s)
    return job


def await_up(client: TestClient, fabric: str) -> None:
    """Looks until an emulated fabric at that path has started."""
    await_answer(client, f"{fabric}/state", lambda state: bool(state["reachable"]))


def await_answer(client: TestClient, path: str, holds: Callable[[dict[str, Any]], bool]) -> None:
    """Looks until the answer is as wished; OpenSM may take long on a busy machine."""
    over = threading.Event()
    timer = threading.Timer(600, over.set)
    timer.start()
    try:
        while not holds(found := client.get(path).json()):
            assert not over.wait(0.1), found
    finally:
        timer.cancel()


def _until_ended(state: Callable[[], str], job_id: str, timeout_s: float) -> None:
    over = threading.Event()
    timer = threading.Timer(timeout_s, over.set)
    timer.start()
    try:
        while (now := state()) not in FINISHED:
            assert not over.wait(0.02), f"job {job_id} is still {now} after {timeout_s} s"
    finally:
        timer.cancel()
