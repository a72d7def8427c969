# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Present states of checks, nights and answers: they follow from jobs, of which a worker that is lost leaves none behind."""

from collections.abc import Iterable

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.database.models.check import CheckAnswer, CheckNight, StoredCheck
from api.database.models.job import Job
from api.states.checks import AnswerState, CheckState, NightState
from api.states.jobs import PENDING

_LOST = "its job is gone"


class Jobs:
    """The jobs of some rows, read at once."""

    def __init__(self, session: Session, ids: Iterable[str | None]) -> None:
        wanted = {one for one in ids if one is not None}
        self._jobs = {job.id: job for job in session.scalars(select(Job).where(Job.id.in_(wanted)))} if wanted else {}

    def check(self, row: StoredCheck) -> CheckState:
        job = self._get(row.job)
        if job is None or job.state not in PENDING:
            return "idle"
        return "running" if job.state == "running" else "queued"

    def night(self, row: CheckNight) -> NightState:
        job = self._get(row.job)
        if job is not None and job.state in PENDING:
            return "running" if job.state == "running" else "queued"
        if row.number is not None:
            return "done"
        if row.missed is not None:
            return "missed"
        return "cancelled" if job is not None and job.state == "cancelled" else "failed"

    def why_not(self, row: CheckNight) -> str | None:
        """A sentence that says why a night has no verdict; None if it has one, or may get one yet."""
        if row.number is not None:
            return None
        if row.missed is not None:
            return row.missed
        job = self._get(row.job)
        if job is not None and job.state in PENDING:
            return None
        return _LOST if job is None else job.problem or "it was cancelled"

    def answer(self, row: CheckAnswer) -> AnswerState:
        undo = self._get(row.undo_job)
        if undo is not None and undo.state in PENDING:
            return "undoing"
        if row.undone_at is not None or (undo is not None and undo.state == "done"):
            return "undone"
        if row.job is None:
            return "failed" if row.problem is not None else "done"
        job = self._get(row.job)
        if job is None or job.state in ("failed", "cancelled"):
            return "failed"
        if job.state == "done":
            return "done"
        return "waiting" if job.state == "queued" and job.not_before is not None else "running"

    def problem(self, row: CheckAnswer) -> str | None:
        undo, job = self._get(row.undo_job), self._get(row.job)
        if undo is not None and undo.state in ("failed", "cancelled"):
            return f"It could not be undone: {undo.problem or 'the job was cancelled'}"
        if job is not None and job.state in ("failed", "cancelled"):
            return job.problem or "its job was cancelled"
        return row.problem if row.job is None or job is not None else _LOST

    def get(self, job: str | None) -> Job | None:
        return self._get(job)

    def _get(self, job: str | None) -> Job | None:
        return None if job is None else self._jobs.get(job)


def state_of(session: Session, row: StoredCheck) -> CheckState:
    return Jobs(session, [row.job]).check(row)


def stands(row: CheckAnswer, state: AnswerState) -> bool:
    """True as long as no other answer is given for the same cause."""
    return row.gone_on is None and state in ("waiting", "running", "done", "undoing")
