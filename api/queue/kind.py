# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of a kind of job. Each kind lives in a file of `api/jobs/kinds` and registers itself in that file's last line:
`KINDS.add("campaign", CampaignJob())`."""

from typing import Any, Literal, Protocol

from sqlalchemy.orm import Session

from api.database.models.job import Job
from api.queue.context import JobContext
from tuner.registry import Registry


class JobKind(Protocol):
    """The work of a kind of job. One object serves all jobs of the kind, in several threads."""

    @property
    def resumable(self) -> bool:
        """True if run() may be called again for a job whose worker was lost: it continues, or repeats its work without harm.
        A job of another kind fails then, with a sentence that says so."""
        ...

    @property
    def place(self) -> Literal["any", "server"]:
        """Place where it can run: any worker, or only the server's process, which has the emulated fabrics."""
        ...

    @property
    def urgent(self) -> bool:
        """True if it runs at once even when a worker's slots are taken by jobs that may last for hours."""
        ...

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any] | None:
        """Does the work and returns the result: the job is done. Asks `context.should_stop()` often, and raises anything (such
        as `context.raise_if_stopping()` does) soon after it is true: the job is cancelled then, or goes back into the queue.
        Raises IbccError or Problem with the sentence for people: the job has failed."""
        ...

    def given_up(self, session: Session, job: Job) -> None:
        """Ends the campaign or promotion that the job worked for. Called in the transaction that ends a job which has failed,
        with its `problem`, or was cancelled, perhaps in the queue or after its worker was lost."""
        ...


KINDS: Registry[JobKind] = Registry("job kind", "api.jobs.kinds")


def give_up(session: Session, job: Job) -> None:
    """Calls `given_up` of the job's kind."""
    if job.kind in KINDS.names():
        KINDS.get(job.kind).given_up(session, job)
