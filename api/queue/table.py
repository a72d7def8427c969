# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Putting jobs into the table, and cancelling them."""

from typing import Any

from fastapi import Response
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.job import Job
from api.documents.jobs import JobDocument
from api.problems import Conflict
from api.queue.documents import job_document, publish_job
from api.queue.kind import KINDS, give_up
from api.times import now
from tuner.errors import NeedsPersonError

FINISHED = ("done", "failed", "cancelled")


def enqueue(session: Session, principal: Principal, kind: str, arguments: dict[str, Any], *, fabric: str | None = None) -> Job:
    """A new job, run after the transaction is committed."""
    KINDS.get(kind)
    job = Job(kind=kind, state="queued", arguments=arguments, fabric=fabric, created_by=principal.username)
    session.add(job)
    publish_job(session, job)
    return job


def location(job: Job) -> str:
    return f"/api/v1/jobs/{job.id}"


def accepted(response: Response, job: Job) -> JobDocument:
    """The body of a 202, whose Location is the job."""
    response.status_code = 202
    response.headers["Location"] = location(job)
    return job_document(job)


def accepted_once(job: Job) -> tuple[int, Any, dict[str, str]]:
    """The same, as what `api.idempotency.Once` stores."""
    return 202, job_document(job), {"Location": location(job)}


def request_cancel(session: Session, job: Job) -> None:
    """A queued job is cancelled at once, a running one when its worker hears of it. Raises Conflict for one that has ended."""
    if job.state in FINISHED:
        raise Conflict(f"Job {job.id} is {job.state} already; there is nothing to cancel.")
    job.cancel_requested = True
    if job.state == "queued":
        if job.started_at is not None and job.not_before is None:
            problem = "The worker that ran this was lost before it was cancelled, and nobody knows how far it came."
            job.problem, job.exit_code = problem, NeedsPersonError.exit_code
        job.state, job.ended_at, job.not_before = "cancelled", now(), None
        give_up(session, job)
    publish_job(session, job)
