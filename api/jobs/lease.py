# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Leases: they record which worker has which job. A worker enters itself in the job's row, until a time that it keeps moving
on. Each of its writes to the job requires that it still has the job, so a worker that was thought dead and comes back changes
nothing."""

from datetime import datetime, timedelta
from typing import Literal

import structlog
from sqlalchemy import select, update
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.base.process_identity import is_gone
from api.base.times import now
from api.database.models.fabric import Fabric
from api.database.models.job import MAX_ATTEMPTS, Job, is_due
from api.database.unreadable import unreadable_columns
from api.jobs.placement import Place, may_take
from api.queue.documents import publish_job
from api.queue.kind import KINDS, give_up
from api.services.campaigns.holds import held_up, lost_jobs
from tuner.errors import NeedsPersonError

_log = structlog.get_logger()

Beat = Literal["kept", "cancelled", "lost"]


def waiting(session: Session, place: Place, *, urgent: bool = False) -> str | None:
    """Returns the id of the oldest job that a worker of that place could start now, or None; with `urgent`, only among urgent
    kinds."""
    query = select(Job.id, Job.kind, Job.fabric).where(is_due()).order_by(Job.id)
    if urgent:
        query = query.where(Job.kind.in_([name for name in KINDS.names() if KINDS.get(name).urgent]))
    allowed: dict[tuple[str, str | None], bool] = {}
    held = held_up(session)
    for job, kind, fabric in session.execute(query):
        if (kind, fabric) not in allowed:
            allowed[kind, fabric] = _may_take(session, place, kind, fabric)
        if allowed[kind, fabric] and job not in held:
            return str(job)
    return None


def _may_take(session: Session, place: Place, kind: str, fabric: str | None) -> bool:
    try:
        return may_take(session, place, kind, fabric)
    except SQLAlchemyError:
        raise
    except Exception:  # a fabric that cannot be read must not keep jobs from the others
        _log.exception("jobs.fabric.bug", fabric=fabric)
        return False


def take(session: Session, worker: str, place: Place, lease_s: float, *, urgent: bool = False) -> Job | None:
    """The oldest job that waits for a worker there, now this one's; None: none waits, or another worker was faster."""
    found = waiting(session, place, urgent=urgent)
    if found is None:
        return None
    # Locking the fabric waits for a transaction that takes another job for it at this moment, so that held_up() sees that job.
    session.scalars(
        select(Fabric.name).join(Job, Job.fabric == Fabric.name).where(Job.id == found).with_for_update(of=Fabric)
    ).all()
    if found in held_up(session):
        return None
    query = select(Job).where(Job.id == found, Job.state == "queued")
    job = session.scalars(query.with_for_update(skip_locked=True)).one_or_none()
    if job is None:
        return None
    if names := unreadable_columns(job):
        _fail_unreadable(session, job, names)
        return None
    job.state, job.worker, job.lease_until = "running", worker, now() + timedelta(seconds=lease_s)
    job.started_at, job.not_before = job.started_at or now(), None
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
            _fail(job, "The worker that ran this job was lost after it was cancelled; how far it came is unknown.")
            job.state = "cancelled"
        elif not _is_resumable(job.kind):
            _fail(job, "The worker that ran this job was lost; how far it came is unknown. Look at the fabric, then retry.")
        elif job.attempts >= MAX_ATTEMPTS:
            _fail(job, f"The worker that ran this job was lost {job.attempts} times; it is not retried.")
        if job.state != "queued":
            give_up(session, job)
        publish_job(session, job)
    for job in lost_jobs(session):
        give_up(session, job)
    return found


def postpone(session: Session, worker: str, job_id: str, until: datetime) -> bool:
    """Puts a running job back until then; whether this worker still had it, and nobody has cancelled it."""
    job = own(session, worker, job_id)
    if job is None or job.cancel_requested:
        return False
    release(job, until)
    job.attempts -= 1  # it was no fault of the job's
    publish_job(session, job)
    return True


def release(job: Job, until: datetime | None = None) -> None:
    """Back into the queue, for whoever is free, then or now."""
    job.state, job.worker, job.lease_until, job.not_before = "queued", None, None, until


def _fail_unreadable(session: Session, job: Job, names: list[str]) -> None:
    """Fails the job, and the campaign, promotion or check that it was for, where its row can be read."""
    _log.error("job.unreadable", job=job.id, kind=job.kind, columns=names)
    _fail(job, f"The row of this job cannot be read ({', '.join(names)}), so it does not run; ask for it again.")
    try:
        with session.begin_nested():
            give_up(session, job)
    except SQLAlchemyError:
        raise
    except Exception:
        _log.exception("job.unreadable.given_up", job=job.id)
    publish_job(session, job)


def _is_resumable(kind: str) -> bool:
    return kind in KINDS.names() and KINDS.get(kind).resumable


def _fail(job: Job, sentence: str) -> None:
    job.state, job.problem, job.exit_code, job.ended_at = "failed", sentence, NeedsPersonError.exit_code, now()
