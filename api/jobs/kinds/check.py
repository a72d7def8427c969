# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a night of a check: `tuner.checks` observes and judges, and its history is the database."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Literal

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.access.principal import system
from api.base.problems import Problem
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.check import CheckNight, StoredCheck
from api.database.models.fabric import Fabric
from api.database.models.inventory import StoredInventory
from api.database.models.job import Job
from api.jobs.lease import own
from api.queue.context import JobContext, Stopped
from api.queue.kind import KINDS
from api.services.campaigns.files import INVENTORY, place_of
from api.services.checks.answers import answer_night
from api.services.checks.events import publish_night
from api.services.checks.files import Files, files_of, parsed, placed_check, read_check
from api.services.checks.history import DatabaseHistory
from api.services.checks.nights import put_verdict
from api.services.checks.privacy import private_names, without_names
from api.services.fabrics import get_fabric
from api.services.host_paths import keep_paths
from api.services.inventories import find_inventory, inventory_of, placed_inventory, require_inventory
from api.services.trial_outcomes import note_night
from api.states.checks import CHECK_JOB
from tuner.checks.acceptance import found_changes
from tuner.checks.hosts.paths import DETAIL
from tuner.checks.run_check import could_not_run, run_check
from tuner.checks.store.night_run import NightRun
from tuner.document_base.model import build_model
from tuner.documents.check import Check
from tuner.errors import BadInputError, IbccError, InterruptedRunError, UnreachableError
from tuner.hostping.baselines import HostBaselines

TOO_LATE = "it was not run in time: something else measured on the fabric, or no worker was there"


@dataclass(frozen=True, kw_only=True)
class _Facts:
    """The check as its row was when the job began. `files`: None if it cannot be run now, for the reason `why`. `inventory`: of
    the fabric; None: it has none."""

    name: str
    night: date
    keep_nights: int
    check: Check
    fabric: Fabric
    files: Files | None
    inventory: StoredInventory | None
    why: str = ""


class CheckJob:
    """A worker that is lost loses the night's measurements; another one begins it again, as long as it is time."""

    resumable: bool = True
    urgent: bool = False
    place: Literal["any", "server"] = "any"

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        facts = self._begin(context, arguments["check"], date.fromisoformat(arguments["date"]))
        if facts is None:
            return {"state": "missed"}
        history = DatabaseHistory(
            context.database, facts.name, keep_nights=facts.keep_nights, on_add=partial(_stored, context, facts.night)
        )
        try:
            run = self._observed(context, facts, history)
        except InterruptedRunError as error:
            raise Stopped from error
        except SQLAlchemyError as error:
            reason = str(getattr(error, "orig", error)).splitlines()[0]
            raise UnreachableError(f"the night could not be stored: the database failed ({reason})") from error
        return {
            "state": run.state,
            "headline": without_names(run.headline, private_names(run)),
            "number": run.number,
            **vars(run.counts),
            "exit_code": run.exit_code,
        }

    def given_up(self, session: Session, job: Job) -> None:
        night = session.scalars(select(CheckNight).where(CheckNight.job == job.id)).one_or_none()
        if night is not None and (row := session.get(StoredCheck, night.check)) is not None:
            publish_night(session, row, night)

    def _begin(self, context: JobContext, name: str, night: date) -> _Facts | None:
        """None if it is too late for the night."""
        with context.database.writing() as session:
            check = session.get(StoredCheck, name)
            row = session.get(CheckNight, (name, night), with_for_update=True)
            if check is None or row is None:
                raise BadInputError(f"check '{name}' or its night of {night} was deleted")
            if row.latest_at is not None and now() > row.latest_at:
                row.missed = TOO_LATE
                publish_night(session, check, row)
                return None
            row.started_at, row.ended_at = now(), None
            publish_night(session, check, row)
            return _facts(session, context.settings, check, night)

    def _observed(self, context: JobContext, facts: _Facts, history: DatabaseHistory) -> NightRun:
        if facts.files is None:
            return could_not_run(facts.check, history, facts.night, facts.why).run
        try:
            with placed_check(facts.fabric, facts.files) as check:
                owner = f"check {facts.name}, through the ibcc service"
                run = run_check(
                    check,
                    history,
                    facts.night,
                    owner=owner,
                    on_entry=_progress(context, check),
                    on_detail=partial(_keep_detail, context, facts.inventory),
                ).run
                if (baseline := history.baseline()) is not None:
                    # Seconds of work, which this process then remembers: the first who looks at trends need not wait for it.
                    found_changes(check, history.runs(), baseline)
                return run
        except InterruptedRunError:
            raise
        except (IbccError, OSError) as error:
            return could_not_run(facts.check, history, facts.night, str(error)).run


def _facts(session: Session, settings: Settings, row: StoredCheck, night: date) -> _Facts:
    fabric = get_fabric(session, row.fabric)
    check = read_check(row.document, name=row.name, fabric=fabric)
    files, why = None, ""
    kept = find_inventory(session, fabric.name)
    try:
        found = files_of(session, system("check"), fabric, check, parsed(row.document, name=row.name, fabric=fabric))
        if any(entry.needs_hosts for entry in check.kinds):
            inventory = require_inventory(session, fabric.name)
            found[INVENTORY] = placed_inventory(inventory, fabric, settings, place_of(fabric, found))
        elif check.drained is not None and kept is not None:
            found[INVENTORY] = placed_inventory(kept, fabric, settings, place_of(fabric, found))
        files = found
    except (IbccError, Problem) as error:
        why = str(error)
    return _Facts(
        name=row.name,
        night=night,
        keep_nights=row.keep_nights,
        check=check,
        fabric=fabric,
        files=files,
        inventory=kept,
        why=why,
    )


def _progress(context: JobContext, check: Check) -> Callable[[str], Callable[[float], None]]:
    """Returns what tells the job's progress, in hundredths of all entries. Raises InterruptedRunError when the job must stop."""
    names = [entry.entry for entry in check.kinds]

    def begun(name: str) -> Callable[[float], None]:
        told = -1

        def progress(fraction: float) -> None:
            nonlocal told
            if context.should_stop():
                raise InterruptedRunError("the check was stopped")
            percent = round(100 * (names.index(name) + min(1.0, max(0.0, fraction))) / len(names))
            if percent >= told + 2 or told < 0:
                told = percent
                context.progress(percent, 100, f"observing {name}")

        progress(0.0)
        return progress

    return begun


def _keep_detail(context: JobContext, inventory: StoredInventory | None, name: str, document: Mapping[str, Any]) -> None:
    """The inside of hosts that a night has tested, of the fabric's inventory, is shown where tests that people ask for are."""
    if name != DETAIL or inventory is None:
        return
    nodes = inventory_of(inventory).by_node
    found = [host for host in document["hosts"] if host["node"] in nodes]
    with context.database.writing() as session:
        keep_paths(session, inventory, context.job_id, found, build_model(HostBaselines, document["batch"]))


def _stored(context: JobContext, night: date, session: Session, run: NightRun) -> None:
    """In the transaction that stores the run: the night has its verdict, and the policy its answer. Raises Stopped if another
    worker has the job."""
    if own(session, context.worker, context.job_id) is None:
        raise Stopped
    check = session.get_one(StoredCheck, run.check)
    row = session.get(CheckNight, (run.check, night), with_for_update=True)
    if row is None:
        raise BadInputError(f"the night of {night} was deleted")
    row.runs += 1
    row.ended_at = now()
    if run.observed or row.number is None:
        put_verdict(row, run)
    note_night(session, check, row, run)
    publish_night(session, check, row, run)
    answer_night(session, context.settings, check, run)


KINDS.add(CHECK_JOB, CheckJob())
