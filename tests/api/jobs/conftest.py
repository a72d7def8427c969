# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Workers in this process, each with a database of its own test."""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from api.access.principal import system
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.job import Job
from api.jobs.worker import Worker
from api.queue.table import enqueue
from tests.api.jobs.kinds import registered


@pytest.fixture(autouse=True)
def kinds() -> Iterator[None]:
    with registered():
        yield


class Jobs:
    """What tests do with jobs. Waits end with the test's own timeout, and look as often as the workers do."""

    def __init__(self, database: Database, settings: Settings, folder: Path) -> None:
        self.database, self.settings, self.folder = database, settings, folder
        self._workers: list[Worker] = []

    def enqueue(self, kind: str, **arguments: Any) -> str:
        arguments.setdefault("file", str(self.folder / "lines"))
        arguments.setdefault("steps", 3)
        with self.database.writing() as session:
            return enqueue(session, system("test"), f"test-{kind}", arguments, fabric=arguments.get("fabric")).id

    def get(self, job_id: str) -> Job:
        with self.database.reading() as session:
            job = session.get(Job, job_id)
            assert job is not None
            return job

    def change(self, job_id: str, **values: Any) -> None:
        with self.database.writing() as session:
            job = session.get(Job, job_id)
            for name, value in values.items():
                setattr(job, name, value)

    def await_job(self, job_id: str, what: Callable[[Job], bool], timeout_s: float = 60) -> Job:
        """The job, as soon as `what` is true of it."""
        for _ in range(int(timeout_s / 0.02)):
            job = self.get(job_id)
            if what(job):
                return job
            threading.Event().wait(0.02)
        raise AssertionError(f"job {job.id} is {job.state}, {job.progress_text!r}, {job.problem!r}")

    def ended(self, job_id: str) -> Job:
        return self.await_job(job_id, lambda job: job.ended_at is not None)

    def waiting(self, job_id: str) -> Job:
        return self.await_job(job_id, lambda job: job.progress_text == "waiting")

    def worker(self, slots: int = 2, place: Any = "both") -> Worker:
        one = Worker(self.database, self.settings, slots=slots, place=place, poll_s=0.02)
        one.start()
        self._workers.append(one)
        return one

    def stop(self) -> None:
        for one in self._workers:
            one.stop()


@pytest.fixture
def jobs(database: Database, settings: Settings, tmp_path: Path) -> Iterator[Jobs]:
    """In each kind of database."""
    one = Jobs(database, settings, tmp_path)
    yield one
    one.stop()
