# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Gathers the evidence for a promotion before somebody approves it: which campaign measured the profile, what its trial runs
showed, and what would undo the promotion. It reads what is stored, and names what is not."""

import json
from collections.abc import Collection, Iterator, Mapping
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import and_, func, or_, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.times import now
from api.database.models.campaign import CampaignArtifact, StoredCampaign
from api.database.models.check import CheckNight, StoredCheck
from api.database.models.event import Event
from api.database.models.job import Job
from api.database.models.promotion import Promotion
from api.documents.checks import PolicyDocument
from api.documents.promotions import EvidenceFigure, Measured, NightSeen, PromotionEvidence, Spread, TrialRun
from api.services.fabric_versions import other_since
from ccsim.policy import Profile, ProfileError

_CAMPAIGNS = 100
"""Campaigns among which the profile's is looked for, the newest."""
_TRIAL_RUNS = 5
ENDS_TRIALS = ("apply", "restore", "promote", "rollback")
"""Kinds of jobs that end a trial run."""
_METRICS = {"victim_throughput_gbps": "gain", "contributor_total_gbps": "cost", "total_throughput_gbps": "both"}


def evidence_of(session: Session, principal: Principal, promotion: Promotion) -> PromotionEvidence:
    measured = measured_of(session, principal.fabrics, promotion.fabric, Profile.from_text(promotion.document))
    trial_runs = _trial_runs(session, promotion)
    unknown = []
    if measured is None:
        unknown.append(
            f"No finished campaign of the service recommends these settings, so nothing is known of what profile "
            f"'{promotion.profile}' gains and costs."
        )
    elif outdated := _outdated(session, measured):
        unknown.append(outdated)
    if measured is not None and any(figure.value.low is None for figure in measured.figures):
        unknown.append("The campaign's confirmation had one seed, so its figures have no confidence interval.")
    if not trial_runs:
        unknown.append(f"Profile '{promotion.profile}' version {promotion.version} had no trial run on '{promotion.fabric}'.")
    elif not any(run.during for run in trial_runs):
        unknown.append("No nightly check ran during a trial run, so nothing was measured before and during it.")
    return PromotionEvidence(measured=measured, trial_runs=trial_runs, undo=_undo(session, promotion), unknown=unknown)


def _outdated(session: Session, measured: Measured) -> str | None:
    campaign = session.get(StoredCampaign, measured.campaign)
    other = None if campaign is None else other_since(session, campaign.fabric, campaign.created_at)
    return None if other is None else f"Campaign '{measured.name}' {other}."


def measured_of(session: Session, fabrics: Collection[str] | None, fabric: str, wanted: Profile) -> Measured | None:
    """Returns the newest campaign that leaves this profile, one of the same fabric first. `fabrics`: those that the reader may
    see; None: all."""
    query = select(StoredCampaign).where(StoredCampaign.state == "finished").order_by(StoredCampaign.id.desc())
    if fabrics is not None:
        query = query.where(StoredCampaign.fabric.in_(sorted(fabrics)))
    campaigns = list(session.scalars(query.limit(_CAMPAIGNS)))
    for campaign in sorted(campaigns, key=lambda one: one.fabric != fabric):
        texts = select(CampaignArtifact).where(
            CampaignArtifact.campaign == campaign.id, CampaignArtifact.name.startswith("profile")
        )
        for artifact in session.scalars(texts):
            if _is_same(wanted, artifact.text):
                return _figures(session, campaign, artifact.name)
    return None


def _is_same(wanted: Profile, text: str) -> bool:
    """Says whether a profile has the same settings, whatever its name."""
    try:
        return all(field == "name" for field, _, _ in wanted.diff(Profile.from_text(text)))
    except ProfileError:  # of another release
        return False


def _figures(session: Session, campaign: StoredCampaign, file: str) -> Measured | None:
    report = session.get(CampaignArtifact, (campaign.id, "report.json"))
    document: Mapping[str, Any] = {} if report is None else json.loads(report.text)
    found = document.get("recommended")
    settings, variant = dict(campaign.settings), None
    if file != "profile.yaml":
        found = next((one for one in document.get("profiles", []) if one["file"] == file), None)
        variant, settings = (None, settings) if found is None else (found["variant"], settings | _bare(found["settings"]))
    conditions = document.get("conditions", {})
    return Measured(
        campaign=campaign.id,
        name=campaign.name,
        fabric=campaign.fabric,
        trial=None if found is None else found.get("trial"),
        backend=str(conditions.get("confirmation", {}).get("backend", "unknown")),
        variant=variant,
        model=settings,
        ended_at=campaign.ended_at,
        figures=[] if found is None else list(_rows(found)),
    )


def _bare(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Variants are settings over a document, whose devices have the prefix `model.`."""
    return {name.removeprefix("model."): value for name, value in settings.items()}


def _rows(found: Mapping[str, Any]) -> Iterator[EvidenceFigure]:
    for metric, side in _METRICS.items():
        if metric in found["estimates"]:
            yield EvidenceFigure(
                metric=metric,
                side=side,
                value=_spread(found["estimates"][metric]),
                against_off=_spread(found["against_baseline"].get(metric)),
                against_published=_spread(found["against_expert"].get(metric)),
            )


def _spread(estimate: Mapping[str, Any] | None) -> Any:
    return None if estimate is None else Spread(value=estimate["value"], low=estimate["low"], high=estimate["high"])


def _trial_runs(session: Session, promotion: Promotion) -> list[TrialRun]:
    """Returns the trial runs of this version on the fabric, the newest first."""
    query = select(Job).where(Job.fabric == promotion.fabric, Job.kind == "apply", Job.state == "done", Job.ended_at.is_not(None))
    found = []
    for job in session.scalars(query.order_by(Job.id.desc())):
        if (job.arguments.get("profile"), job.arguments.get("version")) != (promotion.profile, promotion.version):
            continue
        assert job.ended_at is not None
        until = _end(session, job, job.ended_at)
        found.append(
            TrialRun(
                job=job.id,
                by=job.created_by,
                began_at=job.ended_at,
                ended_at=min(until, now()),
                is_over=until <= now(),
                before=_night(session, promotion.fabric, job.ended_at),
                during=_nights(session, promotion.fabric, job.ended_at, until),
                alarms=_alarms(session, promotion.fabric, job.ended_at, until),
            )
        )
        if len(found) == _TRIAL_RUNS:
            break
    return found


def _end(session: Session, job: Job, began: datetime) -> datetime:
    """The time limit, or an earlier job that has ended the trial run."""
    query = select(func.min(Job.ended_at)).where(
        Job.fabric == job.fabric, Job.kind.in_(ENDS_TRIALS), Job.state == "done", Job.ended_at > began
    )
    limit = began + timedelta(seconds=job.arguments["ttl_s"])
    earlier = session.scalar(query)
    return limit if earlier is None else min(limit, earlier)


def _night(session: Session, fabric: str, before: datetime) -> NightSeen | None:
    """Returns the last night of a check that ended before."""
    query = select(CheckNight).join(StoredCheck, StoredCheck.name == CheckNight.check)
    query = query.where(StoredCheck.fabric == fabric, CheckNight.ended_at < before, CheckNight.verdict.is_not(None))
    return next((_seen(one) for one in session.scalars(query.order_by(CheckNight.ended_at.desc()).limit(1))), None)


def _nights(session: Session, fabric: str, began: datetime, until: datetime) -> list[NightSeen]:
    query = select(CheckNight).join(StoredCheck, StoredCheck.name == CheckNight.check)
    within = and_(CheckNight.started_at >= began, CheckNight.ended_at <= until, CheckNight.verdict.is_not(None))
    return [
        _seen(stored_check)
        for stored_check in session.scalars(query.where(StoredCheck.fabric == fabric, within).order_by(CheckNight.ended_at))
    ]


def _seen(night: CheckNight) -> NightSeen:
    return NightSeen(check=night.check, date=night.date, verdict=str(night.verdict), headline=night.public_headline or "")


def _alarms(session: Session, fabric: str, began: datetime, until: datetime) -> int:
    """Returns the number of the fabric's warnings and errors in that time; promotions that wait are none."""
    query = select(func.count()).select_from(Event)
    about = or_(Event.kind.startswith("device."), Event.kind.startswith("link."), Event.kind.startswith("fabric."))
    within = and_(Event.at >= began, Event.at <= until, Event.fabric == fabric)
    return session.scalar(query.where(within, about, Event.severity.in_(("warning", "error")))) or 0


def _undo(session: Session, promotion: Promotion) -> list[str]:
    current = promotion.plan.get("current")
    if current is None:
        found = [f"Nothing: '{promotion.fabric}' has no base before this one, to which it could be rolled back."]
    else:
        version = "" if current.get("version") is None else f" version {current['version']}"
        found = [f"An operator rolls back: profile '{current['name']}'{version} is the base again, without another person."]
    for check in session.scalars(select(StoredCheck).where(StoredCheck.fabric == promotion.fabric).order_by(StoredCheck.name)):
        rules = [rule for rule in PolicyDocument(**check.policy).rules if rule.answer == "rollback"]
        if rules:
            causes = sorted({cause for rule in rules for cause in rule.causes})
            why = f" for {', '.join(causes)}" if causes else ""
            found.append(f"Check '{check.name}' rolls back by itself after a night that fails{why}.")
    return found
