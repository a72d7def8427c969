# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which worker has which job. A worker says so in the row, until a time that it keeps moving on; every write of a worker to its
job asks that it still has it, so that one that was thought dead and comes back changes nothing."""

from datetime import timedelta
from typing import Literal

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from api.database.models.job import Job
from api.jobs.documents import publish_job
from api.jobs.identity import is_gone
from api.jobs.kind import KINDS
from api.times import now

MAX_ATTEMPTS = 5
"""A job that has taken its worker down so often is not tried again."""

Beat = Literal["kept", "cancelled", "lost"]


def kinds_at(place: Literal["any", "server", "both"]) -> list[str]:
    """The kinds of jobs that a worker takes: those for any worker, those for the server's process, or both."""
    return [name for name in KINDS.names() if place == "both" or KINDS.get(name).place == place]


def waits(session: Session, kinds: list[str]) -> bool:
    """Whether a job waits."""
    return session.scalar(select(Job.id).where(Job.state == "queued", Job.kind.in_(kinds)).limit(1)) is not None


def take(session: Session, worker: str, kinds: list[str], lease_s: float) -> Job | None:
    """The oldest job that waits, now this worker's; None: none waits."""
    query = select(Job).where(Job.state == "queued", Job.kind.in_(kinds)).order_by(Job.created_at, Job.id).limit(1)
    job = session.scalars(query.with_for_update(skip_locked=True)).one_or_none()
    if job is None:
        return None
    job.state, job.worker, job.lease_until = "running", worker, now() + timedelta(seconds=lease_s)
    job.started_at = job.started_at or now()
    job.attempts += 1
    publish_job(session, job)
    return job


def beat(session: Session, worker: str, job_id: str, lease_s: float) -> Beat:
    """Moves the lease on. `lost`: somebody else has the job, or nobody; stop at once."""
    kept = session.execute(
        update(Job)
        .where(Job.id == job_id, Job.worker == worker, Job.state == "running")
        .values(lease_until=now() + timedelta(seconds=lease_s))
        .returning(Job.cancel_requested)
    ).one_or_none()
    if kept is None:
        return "lost"
    return "cancelled" if kept[0] else "kept"


def own(session: Session, worker: str, job_id: str) -> Job | None:
    """The job, locked, if this worker still has it."""
    query = select(Job).where(Job.id == job_id, Job.worker == worker, Job.state == "running")
    return session.scalars(query.with_for_update()).one_or_none()


def recover(session: Session) -> int:
    """Puts jobs back whose workers are lost: the lease has run out, or the process is no more. Returns how many there were."""
    moment = now()
    found = 0
    for job in session.scalars(select(Job).where(Job.state == "running").with_for_update(skip_locked=True)):
        expired = job.lease_until is None or job.lease_until <= moment
        if not expired and not (job.worker and is_gone(job.worker)):
            continue
        found += 1
        release(job)
        if job.cancel_requested:
            job.state, job.ended_at = "cancelled", moment
        elif not _is_resumable(job.kind):
            _fail(job, "The worker that ran this was lost, and nobody knows how far it came; look at the fabric, then ask again.")
        elif job.attempts >= MAX_ATTEMPTS:
            _fail(job, f"The worker that ran this was lost {job.attempts} times; it is not tried again.")
        publish_job(session, job)
    return found


def release(job: Job) -> None:
    """Back into the queue, for whoever is free."""
    job.state, job.worker, job.lease_until = "queued", None, None


def _is_resumable(kind: str) -> bool:
    return kind in KINDS.names() and KINDS.get(kind).resumable


def _fail(job: Job, sentence: str) -> None:
    job.state, job.problem, job.ended_at = "failed", sentence, now()
