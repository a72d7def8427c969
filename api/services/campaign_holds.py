# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns that hold a fabric: each of their trials is an experiment on it."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import RUNS_BY_ITSELF, StoredCampaign
from api.database.models.job import Job
from api.services.campaigns import SIMULATED, pause


def pause_holders(session: Session, principal: Principal, fabric: str) -> list[str]:
    """Pauses the campaigns that hold the fabric or are about to, since somebody wants its base back; their ids. What they have
    finished is kept, and none of them takes the fabric again before a person resumes it."""
    query = select(StoredCampaign).where(StoredCampaign.fabric == fabric, StoredCampaign.state.in_(RUNS_BY_ITSELF))
    holders = [one for one in session.scalars(query.with_for_update()) if _holds(one)]
    for one in holders:
        pause(session, principal, one)
        one.problem = f"{principal.username} has restored the base of fabric '{fabric}'; resume the campaign to go on."
    return [one.id for one in holders]


def holder(session: Session, campaign: StoredCampaign) -> StoredCampaign | None:
    """The campaign that is at work on the fabric which this one would measure on: they go one after the other."""
    if not _holds(campaign):
        return None
    others = (
        select(StoredCampaign)
        .join(Job, Job.id == StoredCampaign.job)
        .where(StoredCampaign.fabric == campaign.fabric, StoredCampaign.id != campaign.id, Job.state == "running")
    )
    return next((one for one in session.scalars(others) if _holds(one)), None)


def must_wait(session: Session, job_id: str) -> bool:
    """Whether the job is a campaign's, and another campaign has the fabric."""
    campaign = session.scalars(select(StoredCampaign).where(StoredCampaign.job == job_id)).one_or_none()
    return campaign is not None and holder(session, campaign) is not None


def waits(session: Session, campaigns: Sequence[StoredCampaign]) -> dict[str, str]:
    """Of the queued ones among them, those that another one holds up, and a sentence that says so."""
    held = {one.id: holder(session, one) for one in campaigns if one.state == "queued"}
    return {
        campaign: f"Campaign '{one.name}' of {one.created_by} measures on fabric '{one.fabric}'; this one begins after it."
        for campaign, one in held.items()
        if one is not None
    }


def _holds(campaign: StoredCampaign) -> bool:
    """Whether it measures on the fabric itself, for its search or for its confirmation."""
    confirm_on = campaign.spec.get("confirm_on") or {}
    return campaign.spec.get("backend") != SIMULATED or confirm_on.get("backend", SIMULATED) != SIMULATED
