# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What checks tell: events of the topic `checks`, and entries of the audit log. `api.notifiers` tells of the events by other
ways."""

from typing import Any, Literal

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.database.models.check import CheckAnswer, CheckNight, StoredCheck
from api.events.publish import publish
from api.services.checks.present import Jobs
from tuner.checks.store.night_run import NightRun

TOPIC = "checks"

EventKind = Literal["check.night", "check.changed", "check.missed", "check.answer"]


def publish_check(session: Session, check: StoredCheck, kind: EventKind, data: dict[str, Any]) -> None:
    """`data` has no name of a job or a user: listeners of all roles get it."""
    session.flush()
    publish(session, TOPIC, kind, {"check": check.name, "fabric": check.fabric, **data}, fabric=check.fabric)


def publish_night(session: Session, check: StoredCheck, night: CheckNight, run: NightRun | None = None) -> None:
    """The night's state, and its verdict, once it has one. `run`: that is stored just now, so that the night is done, though its
    job has not ended yet."""
    session.flush()
    jobs = Jobs(session, [night.job])
    state = jobs.night(night) if run is None else "done"
    data = {
        "date": night.date.isoformat(),
        "state": state,
        "verdict": night.verdict,
        "headline": jobs.why_not(night) or night.public_headline,
        "late": night.late,
        "known": run is not None and run.is_known,
        "job": night.job,
    }
    publish_check(session, check, "check.missed" if state == "missed" else "check.night", data)


def publish_answer(session: Session, check: StoredCheck, answer: CheckAnswer) -> None:
    session.flush()
    state = Jobs(session, [answer.job, answer.undo_job]).answer(answer)
    data = {"id": answer.id, "night": answer.night.isoformat(), "answer": answer.answer, "state": state, "cause": answer.cause}
    publish_check(session, check, "check.answer", data)


def record_change(session: Session, principal: Principal, check: StoredCheck, action: str, detail: dict[str, Any]) -> None:
    """Records it in the audit log, and publishes it as an event."""
    record_audit(session, principal, f"check.{action}", f"check {check.name}", fabric=check.fabric, detail=detail)
    publish_check(session, check, "check.changed", {"action": action})
