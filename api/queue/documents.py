# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A job as JSON, the same in answers and in events."""

from sqlalchemy.orm import Session

from api.database.models.job import Job
from api.documents.jobs import JobDocument
from api.events.publish import publish


def job_document(job: Job) -> JobDocument:
    return JobDocument.model_validate(
        {
            **{name: getattr(job, name) for name in JobDocument.model_fields if name != "progress"},
            "progress": {"done": job.progress_done, "total": job.progress_total, "text": job.progress_text},
        }
    )


def publish_job(session: Session, job: Job) -> None:
    """Tells those who listen to `jobs` what the job is now."""
    session.flush()
    publish(session, "jobs", "job", job_document(job).model_dump(mode="json"), fabric=job.fabric)
