# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Putting jobs into the table, and cancelling them."""

from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict
from api.base.times import now
from api.database.models.job import Job
from api.queue.documents import job_document, publish_job
from api.queue.kind import KINDS, give_up
from api.states.jobs import JOBS
from tuner.errors import NeedsPersonError


def enqueue(session: Session, principal: Principal, kind: str, arguments: dict[str, Any], *, fabric: str | None = None) -> Job:
    """A new job, run after the transaction is committed."""
    KINDS.get(kind)
    job = Job(kind=kind, state="queued", arguments=arguments, fabric=fabric, created_by=principal.username)
    session.add(job)
    publish_job(session, job)
    return job


def accepted_once(principal: Principal, job: Job) -> tuple[int, Any, dict[str, str]]:
    """The answer 202 whose Location is the job, as `api.http.idempotency.Once` stores it."""
    return 202, job_document(principal, job), {"Location": f"/api/v1/jobs/{job.id}"}


def request_cancel(session: Session, job: Job) -> None:
    """Cancels a queued job at once, and a running one when its worker next renews its lease. Raises Conflict for one that has
    ended."""
    if refusal := JOBS.refusal("cancel", job.state, job.id):
        raise Conflict(refusal)
    job.cancel_requested = True
    if job.state == "queued":
        if job.started_at is not None and job.not_before is None:
            problem = "The worker that ran this job was lost before it was cancelled; how far it came is unknown."
            job.problem, job.exit_code = problem, NeedsPersonError.exit_code
        job.state, job.ended_at, job.not_before = "cancelled", now(), None
        give_up(session, job)
    publish_job(session, job)
