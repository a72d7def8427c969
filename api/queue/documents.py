# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A job as JSON, in answers and in events."""

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.job_titles import title_of
from api.database.models.job import Job
from api.documents.jobs import JobDocument, JobStatus
from api.events.publish import publish
from api.states.jobs import JOBS

_SUBJECT = ("campaign", "import", "name", "profile", "version", "check", "date", "promotion", "nodes")
"""Arguments that say what a job is about."""


def job_document(principal: Principal, job: Job) -> JobDocument:
    return JobDocument(**dict(_status(job)), actions=JOBS.actions(principal.role, job.state))


def publish_job(session: Session, job: Job) -> None:
    """Publishes the job's status to the topic `jobs`."""
    session.flush()
    publish(session, "jobs", "job", _status(job).model_dump(mode="json"), fabric=job.fabric)


def _status(job: Job) -> JobStatus:
    return JobStatus.model_validate(
        {
            **{name: getattr(job, name) for name in JobStatus.model_fields if name not in ("title", "progress", "subject")},
            "title": title_of(job.kind),
            "subject": {name: job.arguments[name] for name in _SUBJECT if job.arguments.get(name) is not None},
            "progress": {"done": job.progress_done, "total": job.progress_total, "text": job.progress_text},
        }
    )
