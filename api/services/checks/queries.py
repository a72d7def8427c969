# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks, nights and answers, as the caller may see them."""

from datetime import date

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from api.access.principal import Principal
from api.base.problems import NotFound
from api.database.models.check import CheckAnswer, CheckNight, CheckRun, StoredCheck
from api.http.pages import Key, PageQuery, paginate
from api.services.checks.history import decisions_of, read_run
from tuner.checks.decided_night import run_as_decided
from tuner.checks.store.night_run import NightRun


def list_checks(
    session: Session, principal: Principal, page: PageQuery, *, fabric: str | None
) -> tuple[list[StoredCheck], str | None]:
    """Returns checks in the order of their names."""
    query = select(StoredCheck).options(undefer(StoredCheck.baseline))
    if fabric is not None:
        query = query.where(StoredCheck.fabric == fabric)
    if principal.fabrics is not None:
        query = query.where(StoredCheck.fabric.in_(sorted(principal.fabrics)))
    return paginate(session, query, [Key(StoredCheck.name)], page)


def get_check(session: Session, principal: Principal, name: str, *, locked: bool = False) -> StoredCheck:
    """Raises NotFound, also for one of a fabric that one may not use."""
    row = session.get(StoredCheck, name, with_for_update=locked, options=[undefer(StoredCheck.baseline)])
    if row is None or not principal.may_use(row.fabric):
        raise NotFound(f"There is no check {name!r:.80}.")
    return row


def list_nights(
    session: Session, check: StoredCheck, page: PageQuery, *, before: date | None, since: date | None
) -> tuple[list[CheckNight], str | None]:
    """The newest first."""
    query = select(CheckNight).where(CheckNight.check == check.name)
    if before is not None:
        query = query.where(CheckNight.date < before)
    if since is not None:
        query = query.where(CheckNight.date >= since)
    return paginate(session, query, [Key(CheckNight.date, descending=True)], page)


def get_night(session: Session, check: StoredCheck, night: date, *, locked: bool = False) -> CheckNight:
    """Raises NotFound."""
    row = session.get(CheckNight, (check.name, night), with_for_update=locked)
    if row is None:
        raise NotFound(f"Check '{check.name}' has no night of {night}.")
    return row


def run_of(session: Session, check: StoredCheck, night: CheckNight) -> NightRun | None:
    """The run that counts, the last one of all as it stands now; None if there is none."""
    row = None if night.number is None else session.get(CheckRun, (night.check, night.number))
    if row is None:
        return None
    run = read_run(row.document)
    return run_as_decided(run, decisions_of(check)) if run.number == check.last_number else run


def list_answers(session: Session, check: StoredCheck, page: PageQuery) -> tuple[list[CheckAnswer], str | None]:
    """The newest first."""
    query = select(CheckAnswer).where(CheckAnswer.check == check.name)
    return paginate(session, query, [Key(CheckAnswer.id, descending=True)], page)


def get_answer(session: Session, check: StoredCheck, answer_id: str, *, locked: bool = False) -> CheckAnswer:
    """Raises NotFound."""
    row = session.get(CheckAnswer, answer_id, with_for_update=locked)
    if row is None or row.check != check.name:
        raise NotFound(f"Check '{check.name}' has no answer {answer_id!r:.80}.")
    return row
