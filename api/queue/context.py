# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Context of a running job: its data, requests to stop, and reports of its progress."""

import threading
from typing import Any, Protocol

from api.access.principal import Principal, system
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.job import Job
from api.queue.documents import publish_job


class Reasons(Protocol):
    """The reasons for which a job must stop. The worker that runs the job sets them."""

    stop: threading.Event
    cancelled: threading.Event


class Stopped(Exception):  # noqa: N818  (no error: somebody wanted it)
    """The job ended early because it was asked to stop."""


class Postponed(Exception):  # noqa: N818  (no error: it is not time yet)
    """The work goes on at a later time: the job is in the queue again, by `api.jobs.lease.postpone`."""


class JobContext:
    """Given to `JobKind.run`. `database` and `settings` are the service's; transactions should be short."""

    def __init__(self, database: Database, settings: Settings, job_id: str, attempt: int, reasons: Reasons, worker: str) -> None:
        self.database, self.settings, self.job_id, self.attempt = database, settings, job_id, attempt
        self._reasons, self.worker = reasons, worker

    @property
    def principal(self) -> Principal:
        """For the audit log: the job itself."""
        return system(f"job {self.job_id}")

    def should_stop(self) -> bool:
        """True if the job must stop soon: it was cancelled, the worker is shutting down, or another worker has taken it over."""
        return self._reasons.stop.is_set()

    def raise_if_stopping(self) -> None:
        """Raises Stopped if should_stop()."""
        if self.should_stop():
            raise Stopped

    @property
    def was_cancelled(self) -> bool:
        """True if somebody cancelled the job: it will not run again, so it must restore what it has changed on a fabric."""
        return self._reasons.cancelled.is_set()

    def wait(self, timeout_s: float) -> bool:
        """Waits, but no longer than until should_stop(); whether that is so."""
        return self._reasons.stop.wait(timeout_s)

    def progress(self, done: int, total: int | None, text: str = "") -> None:
        """Stores how far it is, and tells those who listen to `jobs`."""
        with self.database.writing(durable=False) as session:
            job = session.get(Job, self.job_id, with_for_update=True)
            if job is None or job.worker != self.worker:
                return
            job.progress_done, job.progress_total, job.progress_text = done, total, text
            publish_job(session, job)

    def count_from_here(self) -> None:
        """Has this attempt count as the first: the last one got further, so nothing holds the job up again and again."""
        with self.database.writing() as session:
            job = session.get(Job, self.job_id, with_for_update=True)
            if job is not None and job.worker == self.worker:
                job.attempts = 1

    def progress_document(self) -> dict[str, Any]:
        """Returns the stored progress, for a kind that continues from there after a worker was lost."""
        with self.database.reading() as session:
            job = session.get(Job, self.job_id)
            return {} if job is None else {"done": job.progress_done, "total": job.progress_total, "text": job.progress_text}
