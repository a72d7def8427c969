# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Common part of all jobs on a fabric: they run one after the other, record their end in the audit log whatever it is, and notify
those who look at the fabric."""

import time
from typing import Any, Literal

from sqlalchemy import and_, or_, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import system
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.fabric_drivers.base import FabricDriver, OnProgress, Outcome
from api.queue.context import JobContext, Stopped
from api.services.fabric_access import connected, kind_of, publish_change, spec_of
from api.services.fabrics import FABRIC_JOBS, get_fabric
from api.services.outdated_promotions import note_base
from api.services.promotion_evidence import ENDS_TRIALS
from api.services.trial_outcomes import end_outcomes
from api.states.jobs import PENDING

UP_S = 180.0
"""Longest wait, in seconds, for an emulated fabric to start with the server."""
_LOOK_S = 0.2
_NAMED = 20


class FabricJob:
    """Override `kind` and `act`. Doing it twice does no harm, as after a worker was lost."""

    kind: str
    resumable: bool = True
    urgent: bool = True
    """A person waits for it, and it takes seconds; campaigns of other fabrics may hold all slots for hours."""
    place: Literal["any", "server"] = "any"

    def act(self, driver: FabricDriver, arguments: dict[str, Any], on_progress: OnProgress) -> Outcome:
        raise NotImplementedError

    def settled(self, session: Session, fabric: Fabric, arguments: dict[str, Any], base: str | None) -> None:
        """In the transaction that ends it well. `base`: the base profile's canonical text."""

    def failed(self, session: Session, job: Job, sentence: str) -> None:
        """In the transaction that ends it badly."""

    def more_about(self, session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
        """Data that its events have besides."""
        return {}

    def given_up(self, session: Session, job: Job) -> None:
        sentence, name = job.problem or "it was cancelled", str(job.fabric)
        self.failed(session, job, sentence)
        record_audit(
            session,
            system(f"job {job.id}"),
            f"fabric.{self.kind}.failed",
            f"fabric {name}",
            fabric=name,
            detail={"problem": sentence},
        )
        outcome = "cancelled" if job.problem is None else "failed"
        told = {"action": self.kind, "outcome": outcome, "problem": sentence, "exit_code": job.exit_code, "by": job.created_by}
        publish_change(session, name, "state", told | self._about(session, job.arguments))

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        self._await_turn(context, arguments["fabric"])
        fabric = self._started(context, arguments["fabric"])
        with connected(context.database, fabric) as driver:
            outcome = self.act(driver, arguments, context.progress)
            if context.was_cancelled and self.kind == "apply":
                driver.restore(context.progress)
                raise Stopped
            state = driver.state()
        document = outcome_document(outcome)
        with context.database.writing() as session:
            row = get_fabric(session, fabric.name, locked=True)
            base = None if state.base is None else state.base.document
            row.record.base = base
            note_base(session, fabric.name, base)
            self.settled(session, row, arguments, base)
            if self.kind in ENDS_TRIALS:
                end_outcomes(session, fabric.name)
            detail = {key: document[key] for key in ("message", "revision", "drifted")}
            record_audit(
                session, context.principal, f"fabric.{self.kind}.done", f"fabric {fabric.name}", fabric=fabric.name, detail=detail
            )
            told = {"action": self.kind, "outcome": "done", "drifted": document["drifted"]}
            told |= {"by": session.get_one(Job, context.job_id).created_by, "devices": outcome.devices.get("total", 0)}
            told |= {"profile": None if state.base is None else state.base.name} | self._about(session, arguments)
            publish_change(session, fabric.name, "state", told)
        return document

    def _about(self, session: Session, arguments: dict[str, Any]) -> dict[str, Any]:
        """Returns what the sentence of its event names: the profile, and who asked for it."""
        named = {key: arguments[key] for key in ("profile", "version", "ttl_s") if arguments.get(key) is not None}
        return named | self.more_about(session, arguments)

    def _await_turn(self, context: JobContext, fabric: str) -> None:
        """Until no job that began earlier works on the fabric, nor is to go on with it after its worker was lost. Those that
        have not begun do not count: they may wait for this one's worker. Raises Stopped."""
        while True:
            with context.database.reading() as session:
                began = session.scalar(select(Job.started_at).where(Job.id == context.job_id))
                older = Job.id < context.job_id
                earlier = older if began is None else or_(Job.started_at < began, and_(Job.started_at == began, older))
                of_fabric = and_(Job.fabric == fabric, Job.kind.in_(FABRIC_JOBS), Job.state.in_(PENDING))
                ahead = select(Job.id).where(of_fabric, Job.started_at.is_not(None), earlier)
                if session.scalar(ahead.limit(1)) is None:
                    return
            context.wait(_LOOK_S)
            context.raise_if_stopping()

    def _started(self, context: JobContext, name: str) -> Fabric:
        """Returns the fabric when the server has started it, as after the server itself was killed, or after UP_S: a connection
        to it says then why there is none. Raises Stopped."""
        deadline_s = time.monotonic() + UP_S
        while True:
            with context.database.reading() as session:
                fabric = get_fabric(session, name)
            if time.monotonic() >= deadline_s or not kind_of(fabric).is_starting(spec_of(fabric)):
                return fabric
            context.wait(_LOOK_S)
            context.raise_if_stopping()


def outcome_document(outcome: Outcome) -> dict[str, Any]:
    """The job's result."""
    return {
        "good": outcome.good,
        "message": outcome.message,
        "revision": outcome.revision,
        "devices": dict(outcome.devices),
        "drifted": outcome.drifted,
        "wrong": [
            {"guid": device.guid, "port": device.port, "name": device.name, "state": device.state} for device in outcome.wrong
        ],
        "away": {"count": len(outcome.away), "names": list(outcome.away[:_NAMED])},
    }
