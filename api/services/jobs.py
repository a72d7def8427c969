# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Jobs: queries. What runs them is in `api.jobs`."""

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import NotFound
from api.database.models.job import Job
from api.http.pages import Key, PageQuery, paginate


def list_jobs(
    session: Session, principal: Principal, page: PageQuery, *, kind: str | None, state: str | None, fabric: str | None
) -> tuple[list[Job], str | None]:
    """Newest first; those of fabrics that one may not use are left out."""
    query = select(Job)
    if kind is not None:
        query = query.where(Job.kind == kind)
    if state is not None:
        query = query.where(Job.state == state)
    if fabric is not None:
        query = query.where(Job.fabric == fabric)
    if principal.fabrics is not None:
        query = query.where(or_(Job.fabric.is_(None), Job.fabric.in_(sorted(principal.fabrics))))
    return paginate(session, query, [Key(Job.id, descending=True)], page)


def get_job(session: Session, principal: Principal, job_id: str, *, locked: bool = False) -> Job:
    """Raises NotFound, also for one of a fabric that one may not use."""
    job = session.get(Job, job_id, with_for_update=locked)
    if job is None or (job.fabric is not None and not principal.may_use(job.fabric)):
        raise NotFound(f"There is no job {job_id!r:.80}.")
    return job
