# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The history of a check in the database: workers on other machines run checks too.

What is stored is bounded: nights by `keep_nights`, runs of a night by MOST_RUNS, findings of an entry by MOST_FINDINGS, and a
record by MOST_RECORD_BYTES.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date
from typing import Any

from sqlalchemy import delete, func, select, tuple_
from sqlalchemy.orm import Session, undefer

from api.base.problems import NotFound
from api.database.engine import Database
from api.database.models.check import CheckAnswer, CheckNight, CheckRecord, CheckRun, StoredCheck
from api.services.checks.confirmations import confirmed_on
from tuner.checks.decisions import Decisions
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.good_nights import kept_records, old_runs
from tuner.checks.store.night_run import EntryRun, NightRun
from tuner.checks.store.records import EXPECTED, packed, unpacked
from tuner.errors import BadInputError

MOST_RUNS = 8
"""Runs of a night that are kept, beside those of a baseline."""
MOST_FINDINGS = 20_000
"""More than 5,832 hosts have links."""
MOST_RECORD_BYTES = 32 * 1024 * 1024
"""Compressed. All links and forwarding tables of 5,832 hosts take less."""


class DatabaseHistory:
    """A `tuner.checks.store.night_store.NightStore`. Each method has a transaction of its own. `on_add` is called in the one that
    stores a run, and what it raises keeps the run from being stored."""

    def __init__(
        self,
        database: Database,
        check: str,
        *,
        keep_nights: int,
        on_add: Callable[[Session, NightRun], None] = lambda session, run: None,
    ) -> None:
        self._database, self._check, self._keep_nights, self._on_add = database, check, keep_nights, on_add

    @property
    def place(self) -> str:
        return f"the history of check '{self._check}'"

    def runs(self) -> list[NightRun]:
        with self._database.reading() as session:
            return runs_of(session, self._check)

    def latest_date(self) -> date | None:
        with self._database.reading() as session:
            return session.scalar(select(func.max(CheckRun.date)).where(CheckRun.check == self._check))

    def add(self, run: NightRun, records: Mapping[str, Mapping[str, Any]] | None = None) -> NightRun:
        """Raises NotFound if the check was deleted meanwhile."""
        contents = {entry: packed(record) for entry, record in (records or {}).items()}
        with self._database.writing() as session:
            row = session.get(StoredCheck, self._check, with_for_update=True, options=[undefer(StoredCheck.baseline)])
            if row is None:
                raise NotFound(f"There is no check {self._check!r:.80}.")
            row.last_number += 1
            numbered = replace(run, number=row.last_number, entries=tuple(_bounded(one) for one in run.entries))
            document = json.loads(numbered.to_text())
            session.add(
                CheckRun(check=row.name, number=numbered.number, date=run.date, observed=numbered.observed, document=document)
            )
            for entry, content in contents.items():
                if len(content) <= MOST_RECORD_BYTES:
                    session.add(CheckRecord(check=row.name, number=numbered.number, entry=entry, content=content))
            session.flush()
            baseline = baseline_of(row)
            self._remove_old(session, run.date, baseline)
            self._remove_records(session, numbered, baseline)
            self._on_add(session, numbered)
            return numbered

    def recorded(self, entry: str) -> Sequence[int]:
        query = select(CheckRecord.number).where(CheckRecord.check == self._check, CheckRecord.entry == entry)
        with self._database.reading() as session:
            return session.scalars(query).all()

    def record(self, number: int, entry: str) -> Mapping[str, Any] | None:
        with self._database.reading() as session:
            return record_of(session, self._check, number, entry)

    def baseline(self) -> Baseline | None:
        with self._database.reading() as session:
            row = session.get(StoredCheck, self._check, options=[undefer(StoredCheck.baseline)])
            return None if row is None else baseline_of(row)

    def decisions(self) -> Decisions:
        with self._database.reading() as session:
            row = session.get(StoredCheck, self._check, options=[undefer(StoredCheck.decisions)])
            return Decisions() if row is None else replace(decisions_of(row), confirmed=confirmed_on(session, row.fabric))

    def _remove_old(self, session: Session, present: date, baseline: Baseline | None) -> None:
        query = select(CheckRun.date, CheckRun.number, CheckRun.observed).where(CheckRun.check == self._check)
        rows = session.execute(query.order_by(CheckRun.number)).all()
        runs = [(night, number) for night, number, _ in rows]
        counting = {night: number for night, number, observed in rows if observed}
        old = set(old_runs(runs, present, baseline, keep_nights=self._keep_nights))
        of_night: dict[date, list[int]] = {}
        for night, number in runs:
            covered = baseline is not None and baseline.covers(night, number)
            if (night, number) not in old and not covered and number != counting.get(night):
                of_night.setdefault(night, []).append(number)
        gone = {number for _, number in old} | {number for numbers in of_night.values() for number in numbers[: 1 - MOST_RUNS]}
        if gone:
            session.execute(delete(CheckRun).where(CheckRun.check == self._check, CheckRun.number.in_(gone)))
        dates = sorted(session.scalars(select(CheckNight.date).where(CheckNight.check == self._check)))
        kept = {night for night, number in runs if number not in gone} | {present, *dates[-self._keep_nights :]}
        if forgotten := set(dates) - kept:
            session.execute(delete(CheckNight).where(CheckNight.check == self._check, CheckNight.date.in_(forgotten)))

    def _remove_records(self, session: Session, last: NightRun, baseline: Baseline | None) -> None:
        recorded: dict[str, set[int]] = {}
        of_check = CheckRecord.check == self._check
        for entry, number in session.execute(select(CheckRecord.entry, CheckRecord.number).where(of_check)):
            recorded.setdefault(entry, set()).add(number)
        if not recorded:
            return
        kept = kept_records(last, runs_of(session, self._check, set().union(*recorded.values())), recorded, baseline)
        gone = [(entry, one) for entry, numbers in recorded.items() for one in numbers - kept.get(entry, set()) - {EXPECTED}]
        if gone:
            session.execute(delete(CheckRecord).where(of_check, tuple_(CheckRecord.entry, CheckRecord.number).in_(gone)))


def sweep(session: Session) -> None:
    """Forgets nights that were missed or not run, beyond those that a check keeps, and old answers that do not stand."""
    for name, keep_nights in session.execute(select(StoredCheck.name, StoredCheck.keep_nights)).all():
        of_check = CheckNight.check == name
        kept = select(CheckNight.date).where(of_check).order_by(CheckNight.date.desc()).limit(keep_nights).subquery()
        empty = of_check & CheckNight.number.is_(None)
        session.execute(delete(CheckNight).where(empty, CheckNight.date.not_in(select(kept.c.date))))
        answers = CheckAnswer.check == name
        newest = select(CheckAnswer.id).where(answers).order_by(CheckAnswer.id.desc()).limit(keep_nights).subquery()
        over = CheckAnswer.gone_on.is_not(None) | CheckAnswer.undone_at.is_not(None)
        session.execute(delete(CheckAnswer).where(answers, over, CheckAnswer.id.not_in(select(newest.c.id))))


def runs_of(session: Session, check: str, numbers: set[int] | None = None) -> list[NightRun]:
    """Returns the runs, or those with these numbers, by their dates, those of one date by their numbers. Raises BadInputError."""
    query = select(CheckRun.document).where(CheckRun.check == check)
    if numbers is not None:
        query = query.where(CheckRun.number.in_(numbers))
    return [read_run(document) for document in session.scalars(query.order_by(CheckRun.date, CheckRun.number))]


def last_run(session: Session, check: str) -> list[NightRun]:
    """Returns the last run of the last night; none if there is none. Raises BadInputError."""
    query = select(CheckRun.document).where(CheckRun.check == check)
    document = session.scalars(query.order_by(CheckRun.date.desc(), CheckRun.number.desc()).limit(1)).one_or_none()
    return [] if document is None else [read_run(document)]


def read_run(document: Mapping[str, Any]) -> NightRun:
    return NightRun.from_text(json.dumps(document), source="a run")


def baseline_of(row: StoredCheck) -> Baseline | None:
    return None if row.baseline is None else Baseline.from_text(row.baseline, source=f"the baseline of check '{row.name}'")


def decisions_of(row: StoredCheck) -> Decisions:
    source = f"what people have said about check '{row.name}'"
    return Decisions() if row.decisions is None else Decisions.from_text(row.decisions, source=source)


def record_of(session: Session, check: str, number: int, entry: str) -> Mapping[str, Any] | None:
    """Returns what a run has recorded of an entry; None if it is not kept. Raises BadInputError."""
    row = session.get(CheckRecord, (check, number, entry))
    which = "the expected fabric" if number == EXPECTED else f"run {number}"
    try:
        return None if row is None else unpacked(row.content)
    except ValueError as error:
        raise BadInputError(
            f"the history of check '{check}': the record of '{entry}' of {which} cannot be read: {error}"
        ) from error


def put_expected(session: Session, check: str, records: Mapping[str, Mapping[str, Any]]) -> None:
    """Stores the records of the expected fabric, by entry. Raises BadInputError for one that is too large."""
    for entry, record in records.items():
        content = packed(record)
        if len(content) > MOST_RECORD_BYTES:
            raise BadInputError(f"the record of '{entry}' has {len(content):,} bytes; at most {MOST_RECORD_BYTES:,} are kept")
        session.merge(CheckRecord(check=check, number=EXPECTED, entry=entry, content=content))


def _bounded(entry: EntryRun) -> EntryRun:
    """The gravest findings of an entry, and a fact that says how many more there were."""
    more = len(entry.findings) - MOST_FINDINGS
    if more <= 0:
        return entry
    kept = sorted(entry.findings, key=lambda finding: finding.severity != "fail")[:MOST_FINDINGS]
    return replace(entry, findings=tuple(kept), facts=(*entry.facts, f"{more:,} more findings are not kept"))
