# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns that hold a fabric: each of their trials is a trial run on it."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import StoredCampaign
from api.database.models.job import Job, is_due
from api.services.campaigns.actions import pause
from api.services.campaigns.backend import SIMULATED
from api.states.campaigns import AT_WORK, RUNS_BY_ITSELF
from api.states.jobs import GIVEN_UP


def pause_holders(session: Session, principal: Principal, fabric: str) -> list[str]:
    """Pauses the campaigns that hold the fabric or are about to, since somebody restores its base profile; returns their ids.
    What they have finished is kept, and none of them takes the fabric again before a person resumes it."""
    query = select(StoredCampaign).where(StoredCampaign.fabric == fabric, StoredCampaign.state.in_(RUNS_BY_ITSELF))
    holders = [one for one in session.scalars(query.with_for_update()) if _holds(one)]
    # All rows before the first event: whoever waits for the lock of the events may have one of these jobs.
    session.scalars(select(Job).where(Job.id.in_([one.job for one in holders])).order_by(Job.id).with_for_update()).all()
    for one in holders:
        pause(session, principal, one)
        one.problem = f"{principal.username} has restored the base profile of fabric '{fabric}'; resume the campaign to continue."
    return [one.id for one in holders]


def held_up(session: Session) -> dict[str, StoredCampaign]:
    """Returns, by the job of each campaign that could run now, the campaign that measures on its fabric. They run one after the
    other."""
    at_work = select(StoredCampaign).join(Job, Job.id == StoredCampaign.job).where(Job.state == "running")
    holders = {one.fabric: one for one in session.scalars(at_work) if _holds(one)}
    if not holders:
        return {}
    due = select(StoredCampaign).join(Job, Job.id == StoredCampaign.job).where(is_due(), StoredCampaign.fabric.in_(holders))
    return {str(one.job): holders[one.fabric] for one in session.scalars(due) if _holds(one) and one.state != "pausing"}


def waits(session: Session, campaigns: Sequence[StoredCampaign]) -> dict[str, str]:
    """Returns a sentence that says so for each of these campaigns that another one holds up, by the campaign's id."""
    if not any(one.state in AT_WORK for one in campaigns):
        return {}
    by_job = held_up(session)
    return {
        one.id: f"Campaign '{by_job[one.job].name}' of {by_job[one.job].created_by} measures on fabric '{one.fabric}'; this one "
        "starts after it."
        for one in campaigns
        if one.job is not None and one.job in by_job
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
