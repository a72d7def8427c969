# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Jobs: the status of long-running actions."""

from typing import Annotated

from fastapi import APIRouter, Query, Response

from api.access.audit import record_audit
from api.access.dependencies import Reading, Viewer, Writing, acting
from api.access.principal import Principal
from api.base.problems import Conflict
from api.documents.jobs import JobDocument
from api.http.openapi import also
from api.http.pages import Page, Paging
from api.queue.documents import job_document
from api.queue.table import request_cancel
from api.routes.fields import Id, Text
from api.services import jobs
from api.states.jobs import JOBS, JobState

router = APIRouter(tags=["jobs"])


@router.get("/jobs", response_model=Page[JobDocument])
def list_jobs(
    principal: Viewer,
    session: Reading,
    page: Paging,
    kind: Annotated[Text | None, Query(max_length=64)] = None,
    state: JobState | None = None,
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
) -> object:
    """List the jobs, newest first."""
    items, cursor = jobs.list_jobs(session, principal, page, kind=kind, state=state, fabric=fabric)
    return {"items": [job_document(principal, job) for job in items], "next_cursor": cursor}


@router.get("/jobs/{job_id}")
def get_job(principal: Viewer, session: Reading, job_id: Id) -> JobDocument:
    """Return a job. `stream_events` with the topic `jobs` reports changes."""
    return job_document(principal, jobs.get_job(session, principal, job_id))


@router.post("/jobs/{job_id}/cancel", status_code=202, responses=also(Conflict))
def cancel_job(
    principal: Annotated[Principal, acting(JOBS.role("cancel"))], session: Writing, job_id: Id, response: Response
) -> JobDocument:
    """Cancel a job. It ends soon, and undoes what it changed on a fabric."""
    job = jobs.get_job(session, principal, job_id, locked=True)
    request_cancel(session, job)
    response.headers["Location"] = f"/api/v1/jobs/{job.id}"
    record_audit(session, principal, "job.cancel", f"job {job.id} ({job.kind})", fabric=job.fabric)
    return job_document(principal, job)
