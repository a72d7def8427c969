# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns by identifier and in lists, and what a finished one leaves."""

import json
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import NotFound
from api.database.models.campaign import CampaignArtifact, StoredCampaign
from api.database.models.job import Job
from api.http.pages import Key, PageQuery, paginate
from api.states.jobs import PENDING
from tuner.search.space import is_of_model


def list_campaigns(
    session: Session,
    principal: Principal,
    page: PageQuery,
    *,
    state: str | None,
    fabric: str | None,
    archived: bool | None,
    search: str | None,
) -> tuple[list[StoredCampaign], str | None]:
    """Newest first. `search` is a part of the name, the fabric, the template or the author, in any case."""
    query = select(StoredCampaign)
    if archived is not None:
        query = query.where(StoredCampaign.archived == archived)
    if search:
        columns = (StoredCampaign.name, StoredCampaign.fabric, StoredCampaign.template, StoredCampaign.created_by)
        query = query.where(or_(*(column.icontains(search, autoescape=True) for column in columns)))
    if state is not None:
        query = query.where(StoredCampaign.state == state)
    if fabric is not None:
        query = query.where(StoredCampaign.fabric == fabric)
    if principal.fabrics is not None:
        query = query.where(StoredCampaign.fabric.in_(sorted(principal.fabrics)))
    return paginate(session, query, [Key(StoredCampaign.id, descending=True)], page)


def get_campaign(session: Session, principal: Principal, campaign_id: str, *, locked: bool = False) -> StoredCampaign:
    """`locked`: to do something with it. Raises NotFound, also for one of a fabric that one may not use."""
    campaign = session.get(StoredCampaign, campaign_id, with_for_update=locked)
    if campaign is None or not principal.may_use(campaign.fabric):
        raise NotFound(f"There is no campaign {campaign_id!r:.80}.")
    return campaign


def require_real_devices(campaign: StoredCampaign) -> None:
    """Raises NotFound for a study that varies parameters of simulated devices: its profile was measured on devices that no fabric
    has, so nobody is to promote it."""
    varied = [path for path in campaign.spec.get("space", {}) if is_of_model(path)]
    if varied:
        raise NotFound(
            f"Campaign '{campaign.name}' varies {', '.join(varied)}, which no administrator can set, so it has no profile to "
            "promote: its report has the profile of the study. Search without these fields for one to promote."
        )


CHALLENGE = "challenge"
"""Kind of the jobs that challenge a campaign."""
CHALLENGE_FILE = "challenge.json"
"""Artifact with the outcome of the last challenge."""


def challenge_outcome(session: Session, campaign: StoredCampaign) -> dict[str, Any] | None:
    """Returns the outcome of the last challenge that has ended; None without one."""
    found = session.get(CampaignArtifact, (campaign.id, CHALLENGE_FILE))
    if found is None:
        return None
    outcome: dict[str, Any] = json.loads(found.text)
    return outcome


def challenge_at_work(session: Session, campaign: StoredCampaign) -> str | None:
    """Returns the job of a challenge that waits or runs. It has the campaign's store."""
    pending = select(Job).where(Job.kind == CHALLENGE, Job.state.in_(PENDING))
    return next((job.id for job in session.scalars(pending) if job.arguments["campaign"] == campaign.id), None)


def artifact(session: Session, campaign: StoredCampaign, name: str) -> str:
    """Raises NotFound."""
    found = session.get(CampaignArtifact, (campaign.id, name))
    if found is None:
        raise NotFound(
            f"Campaign '{campaign.name}' is {campaign.state} and has no {name} yet; it is made when the campaign finishes."
        )
    return found.text
