# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns that hold a fabric: each of their trials is an experiment on it."""

from collections.abc import Sequence

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import AT_WORK, RUNS_BY_ITSELF, StoredCampaign
from api.database.models.fabric import Fabric
from api.database.models.job import Job, is_due
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


def must_wait(session: Session, job_id: str, *, locked: bool = False) -> bool:
    """Whether the job is a campaign's, and another campaign has the fabric. `locked`: the job is to be taken in this transaction,
    and whoever takes another one for the same fabric is to see that."""
    campaign = session.scalars(select(StoredCampaign).where(StoredCampaign.job == job_id)).one_or_none()
    if campaign is None or not _holds(campaign):
        return False
    if locked:
        session.get(Fabric, campaign.fabric, with_for_update={"of": Fabric})
    return holder(session, campaign) is not None


def waits(session: Session, campaigns: Sequence[StoredCampaign]) -> dict[str, str]:
    """Of campaigns that could run now, those that another one holds up, and a sentence that says so."""
    by_job = {one.job: one for one in campaigns if one.state in AT_WORK and one.job is not None and _holds(one)}
    if not by_job:
        return {}
    held = {}
    for job in session.scalars(select(Job.id).where(Job.id.in_(by_job), is_due())):
        waiting = by_job[job]
        if (one := holder(session, waiting)) is not None:
            held[waiting.id] = (
                f"Campaign '{one.name}' of {one.created_by} measures on fabric '{one.fabric}'; this one begins after it."
            )
    return held


def _holds(campaign: StoredCampaign) -> bool:
    """Whether it measures on the fabric itself, for its search or for its confirmation."""
    confirm_on = campaign.spec.get("confirm_on") or {}
    return campaign.spec.get("backend") != SIMULATED or confirm_on.get("backend", SIMULATED) != SIMULATED
