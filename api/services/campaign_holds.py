# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns that hold a fabric: each of their trials is an experiment on it."""

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import RUNS_BY_ITSELF, StoredCampaign
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


def _holds(campaign: StoredCampaign) -> bool:
    """Whether it measures on the fabric itself, for its search or for its confirmation."""
    confirm_on = campaign.spec.get("confirm_on") or {}
    return campaign.spec.get("backend") != SIMULATED or confirm_on.get("backend", SIMULATED) != SIMULATED
