# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns: searches for the profile that cures a workload."""

import functools
from collections.abc import Callable, Sequence
from typing import Annotated, Any

from fastapi import APIRouter, Query, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from api.access.dependencies import Operator, Reading, Viewer, Writing
from api.access.principal import Principal
from api.database.models.campaign import StoredCampaign
from api.database.models.job import Job
from api.documents.campaigns import CampaignDocument, CampaignState, TemplateDocument
from api.idempotency import Once, OnlyOnce
from api.openapi import also
from api.pages import Page, Paging, paginate_list
from api.preconditions import IfMatch, require_match, set_etag
from api.problems import Conflict, NotFound
from api.routes.fields import Body, FreeObject, Id, Name, Text
from api.services import campaign_holds, campaigns
from api.services.campaign_documents import campaign_document
from api.services.fabrics import get_fabric
from tuner.campaign.shipped import shipped_campaigns

router = APIRouter(tags=["campaigns"])

_CampaignName = Annotated[Text, Field(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9][A-Za-z0-9 ._-]*$")]


class NewCampaign(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "first try",
                    "fabric": "two-switch",
                    "template": "scenario-1",
                    "settings": {"budget.trials": 30, "time_scale": 0.1},
                }
            ]
        }
    )

    name: _CampaignName
    fabric: Name
    template: Annotated[Text, Field(max_length=64, description="One of `list_campaign_templates`.")] | None = None
    spec: FreeObject | None = Field(
        None, description="Instead of a template: a campaign document. Profiles and workloads are names of those in the service."
    )
    settings: Annotated[FreeObject, Field(max_length=200)] = Field(
        default_factory=dict,
        description="Values by dotted path into the document, `budget.trials`; and `model.…` of simulated devices.",
    )
    on_simulator: bool = Field(False, description="Measure in the simulator, also if the fabric is emulated or real.")


class StopBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"confirm": True}]})

    confirm: bool = Field(False, description="Confirm what was found, recommend and report, instead of ending at once.")


_AT_ONCE = StopBody(confirm=False)


class CloneBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "second try", "starts": 5}]})

    name: _CampaignName
    fabric: Name | None = Field(None, description="Another fabric; by default the same.")
    starts: Annotated[int, Field(ge=0, le=100, description="So many of the old one's best profiles are measured first.")] = 0


class ExtendBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"trials": 120}]})

    trials: Annotated[int, Field(ge=1, le=1_000_000, description="Trials in all.")]
    time_s: Annotated[float, Field(gt=0, le=1e9, description="Seconds of searching in all.")] | None = None


@router.get("/campaign-templates", response_model=Page[TemplateDocument])
def list_campaign_templates(principal: Viewer, page: Paging) -> object:
    """Campaigns that come with ibcc, to begin with."""
    found, cursor = paginate_list(list(shipped_campaigns().values()), lambda one: one.name, page)
    items = [{"name": one.name, "title": one.title, "description": one.description, "spec": one.spec} for one in found]
    return {"items": items, "next_cursor": cursor}


def _document(session: Session, campaign: StoredCampaign) -> CampaignDocument:
    return _documents(session, [campaign])[0]


def _documents(session: Session, found: Sequence[StoredCampaign]) -> list[CampaignDocument]:
    waits = campaign_holds.waits(session, found)
    return [campaign_document(one, waits) for one in found]


@router.get("/campaigns", response_model=Page[CampaignDocument])
def list_campaigns(
    principal: Viewer,
    session: Reading,
    page: Paging,
    state: CampaignState | None = None,
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
) -> object:
    """Newest first."""
    items, cursor = campaigns.list_campaigns(session, principal, page, state=state, fabric=fabric)
    return {"items": _documents(session, items), "next_cursor": cursor}


@router.post("/campaigns", status_code=201, responses=also(NotFound))
def create_campaign(principal: Operator, session: Writing, body: NewCampaign, response: Response) -> CampaignDocument:
    """A draft, checked whole. Nothing runs before it is started."""
    principal.require_fabric(body.fabric)
    campaign = campaigns.create_campaign(
        session,
        principal,
        name=body.name,
        fabric=get_fabric(session, body.fabric),
        template=body.template,
        spec=body.spec,
        settings=body.settings,
        on_simulator=body.on_simulator,
    )
    set_etag(response, campaign.revision)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return _document(session, campaign)


@router.get("/campaigns/{campaign_id}")
def get_campaign(principal: Viewer, session: Reading, campaign_id: Id, response: Response) -> CampaignDocument:
    """One campaign; `stream_events` with the topic `campaign:ID` tells of its trials as they end."""
    campaign = campaigns.get_campaign(session, principal, campaign_id)
    set_etag(response, campaign.revision)
    return _document(session, campaign)


@router.delete("/campaigns/{campaign_id}", status_code=204, responses=also(Conflict))
def delete_campaign(principal: Operator, session: Writing, campaign_id: Id, if_match: IfMatch = None) -> None:
    """With its trials and its report. Refused while it is at work."""
    campaign = campaigns.get_campaign(session, principal, campaign_id, locked=True)
    require_match(if_match, campaign.revision, f"campaign '{campaign.name}'")
    campaigns.delete_campaign(session, principal, campaign)


@router.post("/campaigns/{campaign_id}/start", status_code=202, response_model=CampaignDocument)
def start_campaign(principal: Operator, session: Writing, once: OnlyOnce, campaign_id: Id) -> JSONResponse:
    """Starts a draft. The Location is its job."""
    return _at_work_once(principal, session, once, campaign_id, None, campaigns.start)


@router.post("/campaigns/{campaign_id}/resume", status_code=202, response_model=CampaignDocument)
def resume_campaign(principal: Operator, session: Writing, once: OnlyOnce, campaign_id: Id) -> JSONResponse:
    """Goes on with one that is paused, stopped or has failed: what is finished is kept."""
    return _at_work_once(principal, session, once, campaign_id, None, campaigns.resume)


@router.post("/campaigns/{campaign_id}/extend", status_code=202, response_model=CampaignDocument)
def extend_campaign(principal: Operator, session: Writing, once: OnlyOnce, campaign_id: Id, body: ExtendBody) -> JSONResponse:
    """Goes on to more trials."""
    extend = functools.partial(campaigns.extend, trials=body.trials, time_s=body.time_s)
    return _at_work_once(principal, session, once, campaign_id, body, extend)


def _at_work_once(
    principal: Principal,
    session: Session,
    once: Once,
    campaign_id: str,
    body: Body | None,
    act: Callable[[Session, Principal, StoredCampaign], Job],
) -> JSONResponse:
    campaigns.get_campaign(session, principal, campaign_id)  # a token for other fabrics gets no stored answer either

    def work() -> tuple[int, Any, dict[str, str]]:
        campaign = campaigns.get_campaign(session, principal, campaign_id, locked=True)
        act(session, principal, campaign)
        return 202, _document(session, campaign), {"Location": f"/api/v1/jobs/{campaign.job}"}

    return once(session, principal, body, work)


@router.post("/campaigns/{campaign_id}/pause", status_code=202, responses=also(Conflict))
def pause_campaign(principal: Operator, session: Writing, campaign_id: Id) -> CampaignDocument:
    """Has it stop soon and keep what is finished; the fabric gets its base back."""
    campaign = campaigns.get_campaign(session, principal, campaign_id, locked=True)
    campaigns.pause(session, principal, campaign)
    return _document(session, campaign)


@router.post("/campaigns/{campaign_id}/stop", status_code=202, responses=also(Conflict))
def stop_campaign(principal: Operator, session: Writing, campaign_id: Id, body: StopBody = _AT_ONCE) -> CampaignDocument:
    """Ends the search: at once, or with `confirm` after the confirmation and with a report."""
    campaign = campaigns.get_campaign(session, principal, campaign_id, locked=True)
    campaigns.stop(session, principal, campaign, confirm=body.confirm)
    return _document(session, campaign)


@router.post("/campaigns/{campaign_id}/clone", status_code=201)
def clone_campaign(
    principal: Operator, session: Writing, campaign_id: Id, body: CloneBody, response: Response
) -> CampaignDocument:
    """A draft with the same settings, and with what the old one found as a start."""
    old = campaigns.get_campaign(session, principal, campaign_id)
    fabric = body.fabric or old.fabric
    principal.require_fabric(fabric)
    campaign = campaigns.clone(session, principal, old, get_fabric(session, fabric), name=body.name, starts=body.starts)
    set_etag(response, campaign.revision)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return _document(session, campaign)
