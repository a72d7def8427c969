# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What holds a fabric: a campaign, each of whose trials is a trial run on it, and a nightly check. They measure one after the
other. Checks wait for each other on simulated fabrics too."""

from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import StoredCampaign
from api.database.models.job import Job, is_due
from api.services.campaigns.actions import pause
from api.services.campaigns.backend import SIMULATED
from api.states.campaigns import AT_WORK, RUNS_BY_ITSELF
from api.states.checks import CHECK_JOB
from api.states.jobs import GIVEN_UP


def pause_holders(session: Session, principal: Principal, fabric: str) -> list[str]:
    """Pauses the campaigns that hold the fabric or are about to, since somebody restores its base profile; returns their ids.
    What they have finished is kept, and none of them takes the fabric again before a person resumes it."""
    query = select(StoredCampaign).where(StoredCampaign.fabric == fabric, StoredCampaign.state.in_(RUNS_BY_ITSELF))
    holders = [one for one in session.scalars(query.with_for_update()) if _holds(one)]
    # All rows before the first event: whoever waits for the lock of the events may have one of these jobs.
    session.scalars(select(Job).where(Job.id.in_([one.job for one in holders])).order_by(Job.id).with_for_update()).all()
    for holder in holders:
        pause(session, principal, holder)
        holder.problem = (
            f"{principal.username} has restored the base profile of fabric '{fabric}'; resume the campaign to continue."
        )
    return [one.id for one in holders]


@dataclass(frozen=True)
class Holder:
    """`what`: who measures, as the beginning of a sentence."""

    what: str


def held_up(session: Session) -> dict[str, Holder]:
    """Returns, by the job of each campaign and check that could run now, what measures on its fabric."""
    at_work = select(StoredCampaign).join(Job, Job.id == StoredCampaign.job).where(Job.state == "running")
    campaigns = {
        campaign.fabric: Holder(f"Campaign '{campaign.name}' of {campaign.created_by}")
        for campaign in session.scalars(at_work)
        if _holds(campaign)
    }
    running = select(Job).where(Job.kind == CHECK_JOB, Job.state == "running")
    checks = {str(job.fabric): Holder(f"Check '{job.arguments.get('check', job.id)}'") for job in session.scalars(running)}
    held: dict[str, Holder] = {}
    if holders := {**campaigns, **checks}:
        due = select(StoredCampaign).join(Job, Job.id == StoredCampaign.job).where(is_due(), StoredCampaign.fabric.in_(holders))
        held = {str(one.job): holders[one.fabric] for one in session.scalars(due) if _holds(one) and one.state != "pausing"}
        waiting = select(Job.id, Job.fabric).where(Job.kind == CHECK_JOB, is_due(), Job.fabric.in_(holders))
        held |= {job: holders[str(fabric)] for job, fabric in session.execute(waiting)}
    return held


def waits(session: Session, campaigns: Sequence[StoredCampaign]) -> dict[str, str]:
    """Returns a sentence that says so for each of these campaigns that something else holds up, by the campaign's id."""
    if not any(one.state in AT_WORK for one in campaigns):
        return {}
    by_job = held_up(session)
    return {
        campaign.id: f"{by_job[campaign.job].what} measures on fabric '{campaign.fabric}'; this one starts after it."
        for campaign in campaigns
        if campaign.job is not None and campaign.job in by_job
    }


def lost_jobs(session: Session) -> list[Job]:
    """Jobs that have ended and whose campaigns do not know: their rows were locked by somebody else in that moment."""
    ended = Job.state.in_(GIVEN_UP)
    query = select(Job).join(StoredCampaign, StoredCampaign.job == Job.id).where(ended, StoredCampaign.state.in_(AT_WORK))
    return list(session.scalars(query))


def _holds(campaign: StoredCampaign) -> bool:
    """True if the campaign measures on the fabric itself, for its search or for its confirmation."""
    confirm_on = campaign.spec.get("confirm_on") or {}
    return campaign.spec.get("backend") != SIMULATED or confirm_on.get("backend", SIMULATED) != SIMULATED
