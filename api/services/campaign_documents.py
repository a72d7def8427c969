# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns and trials as JSON."""

from collections.abc import Mapping
from typing import Any

from api.database.models.campaign import StoredCampaign, Trial
from api.documents.campaigns import CampaignDocument, TrialDetail, TrialDocument
from api.preconditions import etag


def campaign_document(campaign: StoredCampaign, waits: Mapping[str, str]) -> CampaignDocument:
    """`waits`: of those that could run now but for another campaign, a sentence that says so."""
    same = (name for name in CampaignDocument.model_fields if name not in ("objectives", "etag"))
    document = {name: getattr(campaign, name) for name in same}
    if campaign.id in waits:
        document |= {"problem": waits[campaign.id], "resumes_at": None}
    return CampaignDocument.model_validate(document | {"objectives": campaign.goals, "etag": etag(campaign.revision)})


def trial_document(trial: Trial) -> TrialDocument:
    return TrialDocument.model_validate(_trial(trial))


def trial_detail(trial: Trial, measurements: list[Any], profile_yaml: str) -> TrialDetail:
    more = {"metrics": trial.metrics, "measurements": measurements, "profile_yaml": profile_yaml}
    return TrialDetail.model_validate(_trial(trial) | more)


def _trial(trial: Trial) -> dict[str, Any]:
    same = {name: getattr(trial, name) for name in TrialDocument.model_fields if name != "values"}
    return same | {"values": trial.outcomes}
