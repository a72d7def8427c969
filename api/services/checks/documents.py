# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Checks, nights, baselines and answers as JSON."""

from collections.abc import Collection, Sequence
from datetime import datetime
from typing import Any, TypeVar

from pydantic import BaseModel
from sqlalchemy import func, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.times import now
from api.database.models.check import CheckAnswer, CheckNight, CheckRun, StoredCheck
from api.documents.checks import (
    AlarmDocument,
    AnswerDocument,
    BaselineDocument,
    BaselineSummary,
    CauseDocument,
    CheckDocument,
    CheckEntry,
    EntryDocument,
    FindingDocument,
    JudgementDocument,
    NightDocument,
    NightFinding,
    NightSummary,
    RemarkDocument,
)
from api.http.preconditions import etag
from api.services.campaigns.holds import held_up
from api.services.checks.history import baseline_of
from api.services.checks.present import Jobs, stands
from api.services.checks.privacy import may_read, run_for
from api.services.checks.schedule import Schedule, next_run
from api.states.checks import ANSWERS, CHECKS
from tuner.checks.alarm import alarm_key
from tuner.checks.observation import Finding
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun
from tuner.document_base.yaml_core import parse_document
from tuner.documents.check import Check

MOST_SHOWN = 200
"""Findings of an entry, remarks and alarms in the document of a night."""
Document = TypeVar("Document", bound=BaseModel)
UNDO = {
    "reapply": "Withdraws the answer, so that the next night may give it again. The base profile has not changed, and values "
    "that differed from it are not put back.",
    "rollback": "Makes the profile that was the base before the answer the base again.",
    "draft_campaign": "Deletes the draft.",
}


def of(model: type[Document], source: object, **computed: object) -> Document:
    """A document with what its source has under the names of its fields, but for what is computed."""
    same = {name: getattr(source, name) for name in model.model_fields if name not in computed and hasattr(source, name)}
    return model.model_validate(same | computed)


def check_document(session: Session, principal: Principal, row: StoredCheck) -> CheckDocument:
    return check_documents(session, principal, [row])[0]


def check_documents(session: Session, principal: Principal, rows: Sequence[StoredCheck]) -> list[CheckDocument]:
    names = [row.name for row in rows]
    newest = select(CheckNight.check, func.max(CheckNight.date).label("date")).where(CheckNight.check.in_(names))
    newest_of = newest.group_by(CheckNight.check).subquery()
    same = (CheckNight.check == newest_of.c.check) & (CheckNight.date == newest_of.c.date)
    last = {night.check: night for night in session.scalars(select(CheckNight).join(newest_of, same))}
    answers = session.scalars(select(CheckAnswer).where(CheckAnswer.check.in_(names), CheckAnswer.gone_on.is_(None))).all()
    ids = [row.job for row in rows] + [night.job for night in last.values()]
    jobs = Jobs(session, [*ids, *(one.job for one in answers), *(one.undo_job for one in answers)])
    standing = dict.fromkeys(names, 0)
    for one in answers:
        standing[one.check] += stands(one, jobs.answer(one))
    observed = _observed(session, last.values())
    waiting = held_up(session) if any(jobs.check(row) == "queued" for row in rows) else {}
    moment = now()
    found = []
    for row in rows:
        holder = waiting.get(row.job or "")
        problem = None if holder is None else f"{holder.what} measures on fabric '{row.fabric}'; this check starts after it."
        night = last.get(row.name)
        known = _known(session, row)
        found.append(
            _check(
                principal,
                row,
                jobs,
                problem=problem,
                last=None if night is None else _night(principal, night, jobs, baseline_of(row), observed),
                next_at=None if row.schedule is None else next_run(Schedule(**row.schedule), known, moment),
                answers=standing[row.name],
            )
        )
    return found


def _known(session: Session, row: StoredCheck) -> set[Any]:
    if row.schedule is None:
        return set()
    return set(session.scalars(select(CheckNight.date).where(CheckNight.check == row.name, CheckNight.job.is_not(None))))


def _check(
    principal: Principal,
    row: StoredCheck,
    jobs: Jobs,
    *,
    problem: str | None,
    last: NightSummary | None,
    next_at: datetime | None,
    answers: int,
) -> CheckDocument:
    read: Any = parse_document(row.document, source="document").value
    kinds = [one for one in read.get("kinds", []) if isinstance(one, dict)]
    baseline = baseline_of(row)
    state = jobs.check(row)
    return of(
        CheckDocument,
        row,
        description=str(read.get("description", "")),
        entries=[CheckEntry(name=str(one.get("name") or one.get("kind")), kind=str(one.get("kind"))) for one in kinds],
        alarm_probability=float(read.get("alarm_probability", Check.model_fields["alarm_probability"].default)),
        learn_nights=int(read.get("learn_nights", Check.model_fields["learn_nights"].default)),
        next_run=next_at,
        state=state,
        problem=problem,
        last=last,
        baseline=None if baseline is None else baseline_summary(baseline),
        answers=answers,
        etag=etag(row.revision),
        actions=CHECKS.actions(principal.role, state),
    )


def night_summaries(session: Session, principal: Principal, row: StoredCheck, nights: Sequence[CheckNight]) -> list[NightSummary]:
    jobs, baseline = Jobs(session, [night.job for night in nights]), baseline_of(row)
    observed = _observed(session, nights)
    return [_night(principal, night, jobs, baseline, observed) for night in nights]


def _observed(session: Session, nights: Collection[CheckNight]) -> set[tuple[str, int]]:
    """Check and number of the nights' runs in which something was observed."""
    checks, numbers = {night.check for night in nights}, {night.number for night in nights if night.number is not None}
    query = select(CheckRun.check, CheckRun.number).where(
        CheckRun.observed, CheckRun.check.in_(checks), CheckRun.number.in_(numbers)
    )
    return {(check, number) for check, number in session.execute(query)} if numbers else set()


def _night(
    principal: Principal, night: CheckNight, jobs: Jobs, baseline: Baseline | None, observed: Collection[tuple[str, int]]
) -> NightSummary:
    headline = night.headline if may_read(principal.role) else night.public_headline
    return of(
        NightSummary,
        night,
        state=jobs.night(night),
        headline=headline if night.number is not None else jobs.why_not(night),
        observed=night.number is not None and (night.check, night.number) in observed,
        in_baseline=baseline is not None and night.date in baseline.whole.nights,
    )


def night_document(
    session: Session, principal: Principal, row: StoredCheck, night: CheckNight, run: NightRun | None
) -> NightDocument:
    summary = dict(night_summaries(session, principal, row, [night])[0])
    if run is None:
        empty: dict[str, Any] = {key: [] for key in ("entries", "remarks", "causes", "alarms")}
        return NightDocument(**summary, **empty, number=None, judged={}, remarks_count=0, alarms_count=0)
    read = run_for(run, principal.role)
    alarms = sorted(read.alarms or (), key=lambda one: (one.state != "open", one.severity != "fail"))
    states = {one.key: one.state for one in alarms}
    return NightDocument(
        **summary,
        number=run.number,
        entries=[
            of(
                EntryDocument,
                entry,
                findings=[
                    finding_document(finding, states.get(alarm_key(entry.name, finding.code, finding.place)))
                    for finding in gravest(entry.findings)[:MOST_SHOWN]
                ],
                findings_count=len(entry.findings),
            )
            for entry in read.entries
        ],
        remarks=[of(RemarkDocument, one) for one in read.remarks[:MOST_SHOWN]],
        remarks_count=len(read.remarks),
        causes=[of(CauseDocument, one) for one in read.causes],
        judged={name: of(JudgementDocument, one) for name, one in read.judged.items()},
        alarms=[of(AlarmDocument, one) for one in alarms[:MOST_SHOWN]],
        alarms_count=len(alarms),
    )


def night_findings(principal: Principal, run: NightRun | None) -> list[NightFinding]:
    """All of them, the gravest of each entry first."""
    read = None if run is None else run_for(run, principal.role)
    if read is None:
        return []
    states = {one.key: one.state for one in read.alarms or ()}
    return [
        of(
            NightFinding,
            finding,
            alarm=states.get(alarm_key(entry.name, finding.code, finding.place)),
            entry=entry.name,
        )
        for entry in read.entries
        for finding in gravest(entry.findings)
    ]


def gravest(findings: Sequence[Finding]) -> list[Finding]:
    """Those that fail first."""
    return sorted(findings, key=lambda one: one.severity != "fail")


def finding_document(finding: Finding, alarm: str | None = None) -> FindingDocument:
    return of(FindingDocument, finding, alarm=alarm)


def baseline_summary(baseline: Baseline) -> BaselineSummary:
    nights = baseline.nights
    return of(BaselineSummary, baseline, nights=len(nights), first=nights[0], last=nights[-1])


def baseline_document(baseline: Baseline) -> BaselineDocument:
    return of(BaselineDocument, baseline, former=None if baseline.former is None else baseline_summary(baseline.former))


def answer_documents(session: Session, principal: Principal, answers: Sequence[CheckAnswer]) -> list[AnswerDocument]:
    jobs = Jobs(session, [job for one in answers for job in (one.job, one.undo_job)])
    found = []
    for answer in answers:
        state, job = jobs.answer(answer), jobs.get(answer.job)
        found.append(
            of(
                AnswerDocument,
                answer,
                state=state,
                problem=jobs.problem(answer),
                stands=stands(answer, state),
                waits_until=job.not_before if job is not None and state == "waiting" else None,
                undo_does=UNDO[answer.answer],
                actions=ANSWERS.actions(principal.role, state),
            )
        )
    return found
