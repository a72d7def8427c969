# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns and trials as JSON."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.campaign import StoredCampaign, Trial
from api.database.models.fabric import Fabric
from api.documents.campaigns import CampaignDocument, TrialDetail, TrialDocument
from api.documents.routing_advice import CapacityOut
from api.http.preconditions import etag
from api.services.campaigns.backend import SIMULATED
from api.services.campaigns.files import DOCUMENT, FABRIC
from api.services.campaigns.holds import waits
from api.services.fabric_routing import document_capacity, fabric_capacity
from api.services.fabric_versions import other_since
from api.states.campaigns import CAMPAIGNS
from tuner.report.finding import finding_of_values, finding_so_far
from tuner.simulation.traffic_version import OTHER_TRAFFIC


def campaign_document(session: Session, principal: Principal, campaign: StoredCampaign) -> CampaignDocument:
    (document,) = campaign_documents(session, principal, [campaign])
    outdated = document.outdated or other_since(session, campaign.fabric, campaign.created_at)
    return document.model_copy(update={"capacity": _capacity(session, campaign), "outdated": outdated})


def campaign_documents(session: Session, principal: Principal, found: Sequence[StoredCampaign]) -> list[CampaignDocument]:
    waiting = waits(session, found)
    return [_campaign(principal, campaign, waiting) for campaign in found]


def _campaign(principal: Principal, campaign: StoredCampaign, waiting: Mapping[str, str]) -> CampaignDocument:
    """`waiting`: a sentence for each campaign that waits for nothing but another one."""
    computed = ("objectives", "etag", "actions", "outdated", "finding", "progress", "capacity")
    same = (name for name in CampaignDocument.model_fields if name not in computed)
    document = {name: getattr(campaign, name) for name in same}
    if campaign.id in waiting:
        document |= {"problem": waiting[campaign.id], "resumes_at": None}
    more = {
        "objectives": campaign.goals,
        "finding": _finding(campaign),
        "progress": campaign.progress if campaign.state in ("running", "pausing") else None,
        "outdated": OTHER_TRAFFIC if campaign.other_traffic else None,
        "etag": etag(campaign.revision),
        "actions": CAMPAIGNS.actions(principal.role, campaign.state),
    }
    return CampaignDocument.model_validate(document | more)


def _capacity(session: Session, campaign: StoredCampaign) -> CapacityOut | None:
    """What the routing of the campaign's own copy of the fabric carries, if it is simulated."""
    if json.loads(campaign.files[DOCUMENT]).get("backend", SIMULATED) != SIMULATED:
        return None
    if FABRIC in campaign.files:
        found = document_capacity(campaign.files[FABRIC], campaign.spec.get("subnet"))
    else:
        fabric = session.get(Fabric, campaign.fabric)
        found = None if fabric is None else fabric_capacity(fabric)
    return None if found is None else CapacityOut.model_validate(found.to_json())


def _finding(campaign: StoredCampaign) -> str:
    goals, best = campaign.goals, campaign.best
    if campaign.state != "finished":
        return finding_so_far(
            campaign.state,
            trials_done=campaign.trials_done,
            trials_total=campaign.trials_total,
            goals=goals,
            best=best,
            phase=campaign.phase,
        )
    if campaign.finding is not None:
        return campaign.finding
    if campaign.recommended is None or best is None:
        return campaign.problem or "No profile is recommended."
    return finding_of_values(goals, best)


def trial_document(trial: Trial) -> TrialDocument:
    return TrialDocument.model_validate(_trial(trial))


def trial_detail(trial: Trial, measurements: list[Any], profile_yaml: str) -> TrialDetail:
    more = {"metrics": trial.metrics, "measurements": measurements, "profile_yaml": profile_yaml}
    return TrialDetail.model_validate(_trial(trial) | more)


def _trial(trial: Trial) -> dict[str, Any]:
    same = {name: getattr(trial, name) for name in TrialDocument.model_fields if name != "values"}
    return same | {"values": trial.outcomes}
