# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Drafts of campaigns: from a template, from a document, or as a clone of another campaign; and their changes."""

from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric import Fabric
from api.services.campaigns.asked import Asked, CampaignRequest, prepared
from api.services.campaigns.backend import SIMULATED
from api.services.campaigns.events import record_action
from api.services.campaigns.files import checked, settled
from api.services.campaigns.trials import best_params
from api.states.campaigns import CAMPAIGNS
from tuner.campaign.setup import Setup


def create_campaign(session: Session, principal: Principal, request: CampaignRequest) -> StoredCampaign:
    """A draft. Raises BadInputError, NotFound."""
    values = _values(prepared(session, principal, request), request)
    campaign = StoredCampaign(state="draft", template=request.template, created_by=principal.username, **values)
    session.add(campaign)
    session.flush()
    record_action(session, principal, campaign, "create", {"template": request.template})
    return campaign


def change_campaign(session: Session, principal: Principal, campaign: StoredCampaign, request: CampaignRequest) -> None:
    """Puts another document, name and fabric in the place of a draft's, as in `create_campaign`. Without `template`, the draft
    keeps the name of the template that it began with. Raises Conflict, BadInputError, NotFound."""
    if refusal := CAMPAIGNS.refusal("change", campaign.state, f"'{campaign.name}'"):
        raise Conflict(refusal)
    for key, value in _values(prepared(session, principal, request), request).items():
        setattr(campaign, key, value)
    campaign.template = request.template or campaign.template
    campaign.revision += 1
    record_action(session, principal, campaign, "change", {"fabric": request.fabric.name})


def clone(
    session: Session, principal: Principal, old: StoredCampaign, fabric: Fabric, *, name: str, starts: int
) -> StoredCampaign:
    """A draft with the same settings, maybe on another fabric. `starts`: number of the old one's best profiles that are
    measured first."""
    spec = dict(old.spec)
    if starts:
        signs = {goal["name"]: -1 if goal["direction"] == "maximize" else 1 for goal in old.goals}
        best = best_params(session, old.id, signs, starts)
        spec["start_values"] = {f"{old.name}-{number}": params for number, params in best.items()}
    request = CampaignRequest(
        name=name,
        fabric=fabric,
        spec=spec,
        settings={f"model.{key}": value for key, value in old.settings.items()},
        on_simulator=old.spec.get("backend") == SIMULATED,
    )
    campaign = create_campaign(session, principal, request)
    campaign.template = old.template
    return campaign


def _values(asked: Asked, request: CampaignRequest) -> dict[str, Any]:
    """Columns of a draft. Raises BadInputError."""
    files = settled(asked.files, asked.setup, request.fabric)
    checked(files, asked.model)
    return {
        "name": request.name,
        "fabric": request.fabric.name,
        "spec": asked.document,
        "settings": dict(asked.model),
        "files": files,
        "goals": _goals(asked.setup),
        "trials_total": asked.setup.campaign.budget.trials,
    }


def _goals(setup: Setup) -> list[Any]:
    corner = setup.campaign.hypervolume_reference
    return [
        {
            "name": objective.name,
            "title": objective.name.replace("_", " "),
            "unit": objective.unit,
            "meaning": objective.meaning,
            "direction": "maximize" if objective.sign < 0 else "minimize",
            "hypervolume_reference": corner[objective.name],
        }
        for objective in setup.objectives
    ]
