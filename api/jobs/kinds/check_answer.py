# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Does what a check's policy answers to a night that failed, within the fabric's maintenance windows, or undoes that."""

from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.base.problems import Conflict
from api.base.times import now
from api.database.models.check import CheckAnswer, StoredCheck
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.fabric_drivers.base import FabricDriver, Held, OnProgress, Outcome
from api.jobs.fabric_job import FabricJob
from api.jobs.lease import postpone
from api.queue.context import JobContext, Postponed, Stopped
from api.queue.kind import KINDS
from api.services.checks.answers import ANSWER, window
from api.services.checks.events import publish_answer
from api.services.fabric_access import connected
from api.services.fabrics import get_fabric
from ccsim.policy import Profile


class CheckAnswerJob(FabricJob):
    """A second run, after a worker was lost, knows from the answer's row which base it has found."""

    kind = ANSWER
    urgent = True

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        if arguments["action"] != "undo":  # which a person wants now
            self._await_window(context, arguments["fabric"])
        before = self._found(context, arguments)
        return super().run(context, arguments | before)

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        state = driver.state()
        before, base = arguments["before"], state.base
        if arguments["action"] == "reapply":
            return driver.verify(on_progress)
        if arguments["action"] == "rollback":
            if base is not None and base.revision != before["revision"]:
                return _done(base, state.devices)
            return driver.rollback(on_progress)
        if base is not None and base.document == before["document"]:
            return _done(base, state.devices)
        after = arguments["after"]
        if base is None or after is None or base.document != after["document"]:
            name = "unknown" if base is None else f"'{base.name}'"
            raise Conflict(f"The base profile is {name} now, not the one that the answer left; promote the one that you want.")
        return driver.promote(Profile.from_text(before["document"]), owner=arguments["owner"], on_progress=on_progress)

    def given_up(self, session: Session, job: Job) -> None:
        answer = _answer_of(session, job)
        if answer is None or answer.undone_at is None:  # one that was withdrawn has not failed
            super().given_up(session, job)

    def settled(self, session: Session, fabric: Fabric, arguments: dict[str, Any], base: str | None) -> None:
        answer = session.get(CheckAnswer, arguments["answer"], with_for_update=True)
        if answer is None:
            return
        if arguments["action"] == "undo":
            answer.undone_at = now()
        else:
            answer.after = {"document": base}
        self._publish(session, answer)

    def failed(self, session: Session, job: Job, sentence: str) -> None:
        answer = _answer_of(session, job)
        if answer is not None:
            self._publish(session, answer)

    def _publish(self, session: Session, answer: CheckAnswer) -> None:
        check = session.get(StoredCheck, answer.check)
        if check is not None:
            publish_answer(session, check, answer)

    def _await_window(self, context: JobContext, fabric: str) -> None:
        """Raises Postponed if the fabric may not be changed before a later time."""
        with context.database.writing() as session:
            opens_at = window(session, fabric, now())
            if opens_at is None:
                return
            if not postpone(session, context.worker, context.job_id, opens_at):
                raise Stopped
            session.get_one(Job, context.job_id).started_at = None  # other jobs do not wait for it until then
        raise Postponed

    def _found(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        """The base profiles that the answer found and left, as its row has them; what it finds is stored before it acts."""
        with context.database.reading() as session:
            fabric = get_fabric(session, arguments["fabric"])
            answer = session.get(CheckAnswer, arguments["answer"])
        if answer is None:
            raise Conflict("The check of this answer was deleted; nothing is done.")
        if answer.before is None:
            with connected(context.database, fabric) as driver:
                base = driver.state().base
            if base is None:
                raise Conflict(f"The base profile of fabric '{fabric.name}' is not known; promote one first.")
            before = {"document": base.document, "name": base.name, "revision": base.revision}
            with context.database.writing() as session:
                if (row := session.get(CheckAnswer, answer.id, with_for_update=True)) is not None:
                    row.before = before
            return {"before": before, "after": None}
        return {"before": answer.before, "after": answer.after}


def _done(base: Held, devices: Any) -> Outcome:
    return Outcome(revision=base.revision, message=f"the base profile is '{base.name}' again", devices=devices)


def _answer_of(session: Session, job: Job) -> CheckAnswer | None:
    return session.scalars(
        select(CheckAnswer).where(or_(CheckAnswer.job == job.id, CheckAnswer.undo_job == job.id))
    ).one_or_none()


KINDS.add(CheckAnswerJob.kind, CheckAnswerJob())
