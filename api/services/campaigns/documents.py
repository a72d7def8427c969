# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns and trials as JSON."""

from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import StoredCampaign, Trial
from api.documents.campaigns import CampaignDocument, TrialDetail, TrialDocument
from api.preconditions import etag
from api.services.campaigns.holds import waits
from api.states.campaigns import CAMPAIGNS
from tuner.simulation.traffic_version import OTHER_TRAFFIC


def campaign_document(session: Session, principal: Principal, campaign: StoredCampaign) -> CampaignDocument:
    return campaign_documents(session, principal, [campaign])[0]


def campaign_documents(session: Session, principal: Principal, found: Sequence[StoredCampaign]) -> list[CampaignDocument]:
    waiting = waits(session, found)
    return [_campaign(principal, campaign, waiting) for campaign in found]


def _campaign(principal: Principal, campaign: StoredCampaign, waiting: Mapping[str, str]) -> CampaignDocument:
    """`waiting`: a sentence for each campaign that waits for nothing but another one."""
    same = (name for name in CampaignDocument.model_fields if name not in ("objectives", "etag", "actions", "outdated"))
    document = {name: getattr(campaign, name) for name in same}
    if campaign.id in waiting:
        document |= {"problem": waiting[campaign.id], "resumes_at": None}
    more = {
        "objectives": campaign.goals,
        "outdated": OTHER_TRAFFIC if campaign.other_traffic else None,
        "etag": etag(campaign.revision),
        "actions": CAMPAIGNS.actions(principal.role, campaign.state),
    }
    return CampaignDocument.model_validate(document | more)


def trial_document(trial: Trial) -> TrialDocument:
    return TrialDocument.model_validate(_trial(trial))


def trial_detail(trial: Trial, measurements: list[Any], profile_yaml: str) -> TrialDetail:
    more = {"metrics": trial.metrics, "measurements": measurements, "profile_yaml": profile_yaml}
    return TrialDetail.model_validate(_trial(trial) | more)


def _trial(trial: Trial) -> dict[str, Any]:
    same = {name: getattr(trial, name) for name in TrialDocument.model_fields if name != "values"}
    return same | {"values": trial.outcomes}
