# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What finished campaigns of a fabric have confirmed: checks expect it of the profile once it is promoted."""

import json
from contextlib import suppress

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.database.models.campaign import CampaignArtifact, StoredCampaign
from tuner.checks.confirmed import confirmed_of
from tuner.checks.decisions import Confirmed
from tuner.errors import BadInputError

_MOST = 5
"""Campaigns that are read in a night, the newest: a report has megabytes."""


def confirmed_on(session: Session, fabric: str) -> tuple[Confirmed, ...]:
    """The newest first; campaigns that recommend nothing, or have several workloads, are left out."""
    query = (
        select(CampaignArtifact.text)
        .join(StoredCampaign, StoredCampaign.id == CampaignArtifact.campaign)
        .where(StoredCampaign.fabric == fabric, StoredCampaign.state == "finished", CampaignArtifact.name == "report.json")
    )
    found = []
    for text in session.scalars(query.order_by(StoredCampaign.id.desc()).limit(_MOST)):
        with suppress(BadInputError, ValueError):
            found.append(confirmed_of(json.loads(text)))
    return tuple(found)
