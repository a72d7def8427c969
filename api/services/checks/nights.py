# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nights of a check: each begins as a job, and its date is the key of what is stored."""

from datetime import date, datetime

from sqlalchemy import delete, func, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal, system
from api.base.problems import Conflict
from api.base.times import now
from api.database.models.check import CheckNight, CheckRecord, CheckRun, StoredCheck
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.queue.table import enqueue, request_cancel
from api.services.campaigns.holds import held_up
from api.services.checks.creation import require_action
from api.services.checks.events import publish_night, record_change
from api.services.checks.history import baseline_of
from api.services.checks.present import Jobs
from api.services.checks.privacy import private_names, without_names
from api.services.checks.schedule import Agenda, Due, Missed, Schedule, agenda, night_of
from api.states.checks import AT_WORK, CHECK_JOB
from api.states.jobs import PENDING
from tuner.checks.could_not_run import CouldNotRunError
from tuner.checks.store.night_run import NightRun

SCHEDULE = "schedule"
"""In place of the user's name, of a night that the service ran by itself."""


def request_run(session: Session, principal: Principal, row: StoredCheck) -> Job:
    """Runs tonight's check now, or once more. Raises Conflict while it is at work, if the fabric was deleted, and if the clock
    has gone back before the last night."""
    require_action(session, row, "run")
    if session.get(Fabric, row.fabric) is None:
        raise Conflict(f"Fabric '{row.fabric}' of check '{row.name}' was deleted; delete the check too.")
    tonight = night_of(row.schedule, now())
    try:
        require_no_later_night(session, row.name, tonight)
    except CouldNotRunError as error:
        raise Conflict(str(error)) from error
    night = session.get(CheckNight, (row.name, tonight), with_for_update=True)
    if night is None:
        night = CheckNight(check=row.name, date=tonight, by=principal.username)
        session.add(night)
    job = _begin(session, principal, row, night)
    night.latest_at = None
    record_audit(
        session,
        principal,
        "check.run",
        f"check {row.name}",
        fabric=row.fabric,
        detail={"night": tonight.isoformat(), "job": job.id},
    )
    publish_night(session, row, night)
    return job


def cancel(session: Session, principal: Principal, row: StoredCheck) -> Job:
    """Ends the night that is at work. Raises Conflict if there is none."""
    require_action(session, row, "cancel")
    job = session.get(Job, row.job, with_for_update=True)
    if job is None or job.state not in PENDING:
        raise Conflict(f"Check '{row.name}' has ended meanwhile.")
    request_cancel(session, job)
    record_audit(session, principal, "check.cancel", f"check {row.name}", fabric=row.fabric, detail={"job": job.id})
    return job


def delete_night(session: Session, principal: Principal, row: StoredCheck, night: CheckNight) -> None:
    """With its runs and records: as if it had never been run, as for one that a wrong clock has dated. Raises Conflict for one
    that is at work or belongs to a baseline."""
    if Jobs(session, [night.job]).night(night) in AT_WORK:
        raise Conflict(f"The night of {night.date} of check '{row.name}' is running; cancel it first.")
    baseline = baseline_of(row)
    numbers = session.scalars(select(CheckRun.number).where(CheckRun.check == row.name, CheckRun.date == night.date)).all()
    if baseline is not None and any(baseline.covers(night.date, number) for number in numbers):
        raise Conflict(
            f"The night of {night.date} belongs to the baseline of check '{row.name}', or to the former one; accept others first."
        )
    for model in (CheckRun, CheckRecord):
        session.execute(delete(model).where(model.check == row.name, model.number.in_(numbers)))
    session.delete(night)
    record_change(session, principal, row, "delete_night", {"night": night.date.isoformat()})


def put_verdict(night: CheckNight, run: NightRun) -> None:
    """The night is as this run of it says."""
    night.number, night.verdict, night.headline = run.number, run.state, run.headline
    night.public_headline = without_names(run.headline, private_names(run))


def has_agenda(session: Session, name: str, moment: datetime) -> bool:
    """True if run_agenda has something to do; looks only."""
    row = session.get(StoredCheck, name)
    if row is None:
        return False
    todo = _agenda(session, row, moment)
    job = None if row.job is None else session.get(Job, row.job)
    waits = job is not None and job.state == "queued"
    return waits or (todo is not None and (todo.run is not None or bool(todo.missed)))


def run_agenda(session: Session, name: str, moment: datetime) -> Job | None:
    """Does what the schedule of a check says for this moment: begins the night that is due, and notes those that were missed.

    The check's row is locked, so two servers that do this at once begin one night. Returns the job, if one begins.
    """
    row = session.get(StoredCheck, name, with_for_update=True)
    if row is None:
        return None
    _end_waiting(session, row, moment)
    todo = _agenda(session, row, moment)
    if todo is None:
        return None
    for one in todo.missed:
        _note_missed(session, row, one)
    return None if todo.run is None else _begin_due(session, row, todo.run)


def _agenda(session: Session, row: StoredCheck, moment: datetime) -> Agenda | None:
    if row.schedule is None or row.schedule_since is None:
        return None
    columns = select(CheckNight.date, CheckNight.job).where(CheckNight.check == row.name)
    nights = dict(session.execute(columns).all())
    missed = {night for night, job in nights.items() if job is None}
    return agenda(Schedule(**row.schedule), row.schedule_since, nights.keys() - missed, missed, moment)


def require_no_later_night(session: Session, check: str, tonight: date) -> None:
    """Raises CouldNotRunError if the clock has gone back before a night that was run."""
    latest = session.scalar(select(func.max(CheckRun.date)).where(CheckRun.check == check))
    if latest is not None and tonight < latest:
        raise CouldNotRunError(
            f"the clock says {tonight}, but check '{check}' has the night of {latest}; set the clock, or delete that night"
        )


def scheduled_checks(session: Session) -> list[str]:
    """Names of the checks that have a schedule."""
    return list(session.scalars(select(StoredCheck.name).where(StoredCheck.schedule.is_not(None)).order_by(StoredCheck.name)))


def _begin(session: Session, principal: Principal, row: StoredCheck, night: CheckNight) -> Job:
    arguments = {"check": row.name, "date": night.date.isoformat()}
    job = enqueue(session, principal, CHECK_JOB, arguments, fabric=row.fabric)
    row.job = night.job = job.id
    night.missed, night.by = None, principal.username
    return job


def _begin_due(session: Session, row: StoredCheck, due: Due) -> Job | None:
    if Jobs(session, [row.job]).check(row) in AT_WORK:
        return None  # somebody runs it by hand, or last night's still waits
    try:
        require_no_later_night(session, row.name, due.night)
    except CouldNotRunError:
        return None  # it is noted as missed when its time is over
    if session.get(Fabric, row.fabric) is None:
        return None
    night = session.get(CheckNight, (row.name, due.night))
    if night is None:
        night = CheckNight(check=row.name, date=due.night, by=SCHEDULE)
        session.add(night)
    night.planned_at, night.latest_at, night.late = due.planned_at, due.latest_at, due.late
    job = _begin(session, system("the schedule"), row, night)
    night.by = SCHEDULE
    publish_night(session, row, night)
    return job


def _note_missed(session: Session, row: StoredCheck, missed: Missed) -> None:
    reason = (
        f"fabric '{row.fabric}' was deleted"
        if session.get(Fabric, row.fabric) is None
        else "it was not run in time: the service did not run, its clock was wrong, or another night was running"
    )
    night = CheckNight(check=row.name, date=missed.night, by=SCHEDULE, planned_at=missed.planned_at, missed=reason)
    session.add(night)
    publish_night(session, row, night)


def _end_waiting(session: Session, row: StoredCheck, moment: datetime) -> None:
    """Gives up a night of the schedule that has not begun, since something else measures on its fabric: when its time is over, or
    at once where the schedule says so."""
    job = None if row.job is None else session.get(Job, row.job, with_for_update=True)
    if job is None or job.state != "queued" or job.started_at is not None:
        return
    night = session.scalars(select(CheckNight).where(CheckNight.check == row.name, CheckNight.job == job.id)).one_or_none()
    if night is None or night.latest_at is None:
        return
    holder = held_up(session).get(job.id)
    skips = holder is not None and row.schedule is not None and Schedule(**row.schedule).when_busy == "skip"
    if skips or moment > night.latest_at:
        what = "No worker was there" if holder is None else f"{holder.what} measured on fabric '{row.fabric}'"
        night.missed = what if skips else f"{what} until it was too late"
        request_cancel(session, job)
