# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns report to subscribers of `campaign:ID` and to the audit log."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.times import rfc3339
from api.database.models.campaign import StoredCampaign
from api.events.publish import publish


def publish_event(session: Session, campaign: StoredCampaign, kind: str, data: Mapping[str, Any]) -> None:
    publish(session, f"campaign:{campaign.id}", kind, {"campaign": campaign.id, **data}, fabric=campaign.fabric)


def publish_state(session: Session, campaign: StoredCampaign) -> None:
    publish_event(session, campaign, "state", _state(campaign))


def publish_progress(session: Session, campaign: StoredCampaign, name: str) -> None:
    """Publishes how far a phase outside the search is. `name`: the profile that was measured. Clients of earlier releases take
    it for a state that did not change."""
    publish_event(session, campaign, "progress", _state(campaign) | {"progress": campaign.progress, "measured": name})


def _state(campaign: StoredCampaign) -> dict[str, Any]:
    return {
        "state": campaign.state,
        "phase": campaign.phase,
        "trials_done": campaign.trials_done,
        "trials_total": campaign.trials_total,
        "problem": campaign.problem,
        "ended_at": None if campaign.ended_at is None else rfc3339(campaign.ended_at),
        "resumes_at": None if campaign.resumes_at is None else rfc3339(campaign.resumes_at),
    }


def record_action(
    session: Session, principal: Principal, campaign: StoredCampaign, action: str, detail: Mapping[str, Any]
) -> None:
    """Records it in the audit log, and publishes it as an event."""
    object = f"campaign {campaign.name} ({campaign.id})"
    record_audit(session, principal, f"campaign.{action}", object, fabric=campaign.fabric, detail=dict(detail))
    session.flush()
    publish_state(session, campaign)
