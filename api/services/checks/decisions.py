# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What people say about a check's alarms: repaired, muted, planned, and which fabric they expect."""

from datetime import date

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import InvalidInput, NotFound
from api.base.times import now
from api.database.models.check import CheckNight, StoredCheck
from api.documents.checks import AdoptedDocument, AlarmDocument, AlarmsDocument, DecisionDocument
from api.services.checks.documents import of
from api.services.checks.events import record_change
from api.services.checks.files import present_check
from api.services.checks.history import decisions_of, last_run, put_expected, record_of, runs_of
from api.services.checks.nights import put_verdict
from api.services.checks.privacy import run_for
from api.services.fabrics import get_fabric
from api.services.inventories import wiring_of
from tuner.checks.adoption import adopted_fabric, adopted_night
from tuner.checks.alarms import require_alarm, standing_alarms
from tuner.checks.decided_night import run_as_decided
from tuner.checks.decisions import Decision, DecisionKind, Decisions
from tuner.errors import BadInputError


def alarms_document(session: Session, principal: Principal, row: StoredCheck) -> AlarmsDocument:
    """The alarms that the last night has left, as they stand now and as somebody of this role reads them."""
    decisions = _decisions(session, row)
    adopted = decisions.adopted
    runs = [run_for(run, principal.role) for run in last_run(session, row.name)]
    return AlarmsDocument(
        alarms=[of(AlarmDocument, one) for one in standing_alarms(runs, decisions)],
        decisions=[of(DecisionDocument, one) for one in decisions.made],
        expected=None if adopted is None else of(AdoptedDocument, adopted, entries=list(adopted.options)),
    )


def decide(
    session: Session,
    principal: Principal,
    row: StoredCheck,
    kind: DecisionKind,
    place: str,
    *,
    because: str,
    first: date | None = None,
    until: date | None = None,
) -> None:
    """Raises InvalidInput for a repair of what has no alarm, and for a mute or plan that is for no night."""
    old = _decisions(session, row)
    runs = last_run(session, row.name)
    try:
        if kind == "repaired":
            require_alarm(standing_alarms(runs), place)
        new = old.with_new(
            kind,
            place,
            because=because,
            by=principal.username,
            at=now().isoformat(timespec="seconds"),
            after_run=row.last_number,
            today=max((run.date for run in runs), default=now().date()),
            first=first,
            until=until,
        )
    except BadInputError as error:
        raise InvalidInput.of_field("until" if "until" in error.sentence else "place", error.sentence) from error
    _store(session, principal, row, new, kind, new.made[-1])


def withdraw(session: Session, principal: Principal, row: StoredCheck, number: int) -> None:
    """Raises NotFound for a number that there is not."""
    old = _decisions(session, row)
    try:
        gone = old.get(number)
    except BadInputError as error:
        raise NotFound(f"Check '{row.name}' has no decision {number}.") from error
    _store(session, principal, row, old.without(number), "withdraw", gone)


def adopt(session: Session, principal: Principal, row: StoredCheck, *, night: date | None, imported: bool, because: str) -> None:
    """Adopts the fabric of a night, of the last one without `night`, or the service's document of the fabric, if `imported`.
    Raises BadInputError for one that cannot be adopted."""
    check, old = present_check(session, row), _decisions(session, row)
    by, at = principal.username, now().isoformat(timespec="seconds")
    if imported:
        document = wiring_of(get_fabric(session, row.fabric).options)
        if document is None:
            raise BadInputError(f"the service has no document of fabric '{row.fabric}'; adopt the fabric of a night")
        new, records = adopted_fabric(
            check, old, document, source=f"the imported one of {row.fabric}", by=by, at=at, because=because
        )
    else:
        new, records = adopted_night(
            check,
            runs_of(session, row.name),
            lambda number, entry: record_of(session, row.name, number, entry),
            old,
            night,
            by=by,
            at=at,
            because=because,
        )
    put_expected(session, row.name, records)
    row.decisions = new.to_text()
    source = "" if new.adopted is None else new.adopted.source
    record_change(session, principal, row, "expect", {"source": source, "because": because})


def _decisions(session: Session, row: StoredCheck) -> Decisions:
    session.refresh(row, ["decisions"])
    return decisions_of(row)


def _store(session: Session, principal: Principal, row: StoredCheck, new: Decisions, action: str, one: Decision) -> None:
    row.decisions = new.to_text()
    for run in last_run(session, row.name):
        night = session.get(CheckNight, (row.name, run.date))
        if night is not None and night.number == run.number:
            put_verdict(night, run_as_decided(run, new))
    detail = {"place": one.what, "because": one.because, "number": one.number, "kind": one.kind}
    detail |= {key: day.isoformat() for key in ("first", "until") if (day := getattr(one, key)) is not None}
    record_change(session, principal, row, action, detail)
