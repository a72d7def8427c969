# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Keeps what trial runs measured: of each, what nights of checks saw before and during it, beside what a campaign promised.

Only entries of checks count that measured under the profile in force, and know which one that was: on an emulated fabric, or
through agents on real hosts. Its revision says to which trial run a night belongs, whatever others did to the fabric meanwhile.
"""

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.times import now
from api.database.models.check import CheckNight, CheckRun, StoredCheck
from api.database.models.job import Job
from api.database.models.promotion import Promotion
from api.database.models.trial_outcome import TrialOutcome
from api.documents.promotions import Measured, PromotionEvidence, Spread
from api.documents.trial_runs import ComparedFigure, EntryFigures, NightFigures, TrialRunOutcome
from api.http.pages import Key, PageQuery, paginate
from api.services.checks.history import read_run
from api.services.promotion_evidence import evidence_of, measured_of
from ccsim.policy import Profile
from tuner.checks.store.night_run import NightRun
from tuner.documents.profile import profile_revision
from tuner.goals.metrics import METRICS

_MOST_NIGHTS = 50
"""Nights that are kept of a trial run, the last."""


def begin_outcome(session: Session, job_id: str) -> None:
    """Begins the record of a trial run that is in force from now on. A job that is run again begins its record again."""
    job = session.get_one(Job, job_id)
    assert job.fabric is not None
    profile = Profile.from_text(job.arguments["document"])
    promised = measured_of(session, None, job.fabric, profile)
    outcome = TrialOutcome(
        job=job.id,
        fabric=job.fabric,
        profile=job.arguments["profile"],
        version=job.arguments["version"],
        revision=profile_revision(profile),
        by=job.created_by,
        began_at=now(),
        until=now() + timedelta(seconds=job.arguments["ttl_s"]),
        promised=None if promised is None else promised.model_dump(mode="json"),
        before=[night.model_dump(mode="json") for night in _last_nights(session, job.fabric)],
        during=[],
    )
    session.merge(outcome)


def end_outcomes(session: Session, fabric: str) -> None:
    """The trial run on a fabric ends now, if one lasts."""
    lasting = (TrialOutcome.fabric == fabric, TrialOutcome.until > now())
    session.execute(update(TrialOutcome).where(*lasting).values(until=now()))


def note_night(session: Session, check: StoredCheck, night: CheckNight, run: NightRun) -> None:
    """Adds what a night has measured to the trial run during which it began."""
    if night.started_at is None or night.ended_at is None:
        return
    figures = _figures(run, night.ended_at)
    if figures is None:
        return
    began = (TrialOutcome.began_at <= night.started_at, TrialOutcome.until >= night.started_at)
    query = select(TrialOutcome).where(TrialOutcome.fabric == check.fabric, *began).with_for_update()
    for outcome in session.scalars(query):
        entries = [entry for entry in figures.entries if entry.regime == outcome.revision]
        if entries:
            added = figures.model_copy(update={"entries": entries}).model_dump(mode="json")
            outcome.during = [*outcome.during, added][-_MOST_NIGHTS:]


def list_outcomes(
    session: Session,
    principal: Principal,
    page: PageQuery,
    *,
    fabric: str | None = None,
    profile: str | None = None,
    version: int | None = None,
) -> tuple[list[TrialOutcome], str | None]:
    """Returns a page of the trial runs on fabrics that the caller may see, the newest first."""
    query = select(TrialOutcome)
    if principal.fabrics is not None:
        query = query.where(TrialOutcome.fabric.in_(sorted(principal.fabrics)))
    for column, wanted in ((TrialOutcome.fabric, fabric), (TrialOutcome.profile, profile), (TrialOutcome.version, version)):
        if wanted is not None:
            query = query.where(column == wanted)
    return paginate(session, query, [Key(TrialOutcome.job, descending=True)], page)


def outcome_document(principal: Principal, outcome: TrialOutcome) -> TrialRunOutcome:
    """What was promised on a fabric that the caller may not see is left out."""
    promised = None if outcome.promised is None else Measured.model_validate(outcome.promised)
    if promised is not None and principal.fabrics is not None and promised.fabric not in principal.fabrics:
        promised = None
    before = [NightFigures.model_validate(night) for night in outcome.before]
    during = [NightFigures.model_validate(night) for night in outcome.during]
    compared = list(_compared(before, during, promised, outcome.fabric))
    return TrialRunOutcome(
        job=outcome.job,
        fabric=outcome.fabric,
        profile=outcome.profile,
        version=outcome.version,
        revision=outcome.revision,
        by=outcome.by,
        began_at=outcome.began_at,
        ended_at=min(outcome.until, now()),
        is_over=outcome.until <= now(),
        promised=promised,
        before=before,
        during=during,
        compared=compared,
        sentence=_sentence(compared, promised, outcome.fabric),
    )


def evidence_with_figures(session: Session, principal: Principal, promotion: Promotion) -> PromotionEvidence:
    """Returns the evidence for a promotion, with what its trial runs measured."""
    evidence = evidence_of(session, principal, promotion)
    for run in evidence.trial_runs:
        if (outcome := session.get(TrialOutcome, run.job)) is not None:
            run.sentence = outcome_document(principal, outcome).sentence
    return evidence


def _last_nights(session: Session, fabric: str) -> Iterator[NightFigures]:
    """Yields the last night of each check of the fabric that measured under the profile in force."""
    for check in session.scalars(select(StoredCheck.name).where(StoredCheck.fabric == fabric).order_by(StoredCheck.name)):
        query = select(CheckRun).where(CheckRun.check == check, CheckRun.observed).order_by(CheckRun.number.desc())
        for row in session.scalars(query.limit(_MOST_NIGHTS)):
            run = read_run(row.document)
            if (figures := _figures(run, datetime.fromisoformat(run.ended))) is not None:
                yield figures
                break


def _figures(run: NightRun, at: datetime) -> NightFigures | None:
    """Returns what the entries have measured that know under which profile; None if there are none."""
    entries = [
        EntryFigures(
            entry=entry.name,
            kind=entry.kind,
            options=entry.options,
            regime=entry.regime,
            values=dict(entry.values),
            units=dict(entry.units),
        )
        for entry in run.entries
        if entry.regime is not None and entry.is_learnt and entry.values
    ]
    if not entries:
        return None
    return NightFigures(check=run.check, date=run.date, number=run.number, at=at, verdict=run.state, entries=entries)


def _compared(
    before: Iterable[NightFigures], during: Iterable[NightFigures], promised: Measured | None, fabric: str
) -> Iterator[ComparedFigure]:
    """Yields each metric of each entry that was measured during the trial run, with the last values."""
    earlier = {(night.check, entry.entry, entry.options): entry for night in before for entry in night.entries}
    latest = {(night.check, entry.entry, entry.options): entry for night in during for entry in night.entries}
    spreads = {} if promised is None or promised.fabric != fabric else {one.metric: one.value for one in promised.figures}
    for (check, name, options), entry in latest.items():
        for metric, value in entry.values.items():
            known = earlier.get((check, name, options))
            yield ComparedFigure(
                check=check,
                entry=name,
                metric=metric,
                unit=entry.units.get(metric, "1"),
                before=None if known is None else known.values.get(metric),
                during=value,
                promised=spreads.get(METRICS[metric].key) if metric in METRICS else None,
            )


def _sentence(compared: Iterable[ComparedFigure], promised: Measured | None, fabric: str) -> str:
    figures = next((one for one in compared if one.metric == "victim_throughput" and one.during is not None), None)
    if figures is None:
        return "Nothing was measured under this profile: no check of the fabric ran a workload with victims during the trial run."
    before = "what they got before was not measured" if figures.before is None else f"{figures.before:.4g} before"
    told = f"A victim got {figures.during:.4g} {figures.unit} during it, {before}"
    if promised is None:
        return f"{told}; no campaign of the service promised anything."
    if figures.promised is None:
        return f"{told}; what campaign '{promised.name}' promised is of fabric '{promised.fabric}' or of other figures."
    return f"{told}; campaign '{promised.name}' promised {_range(figures.promised)}."


def _range(spread: Spread) -> str:
    found = "" if spread.low is None or spread.high is None else f" ({spread.low:.4g} to {spread.high:.4g})"
    return f"{spread.value:.4g}{found}"
