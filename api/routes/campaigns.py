# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns: searches for the profile that best cures a workload."""

import functools
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from api.access.dependencies import CurrentSettings, Operator, Reading, Viewer, Writing, acting
from api.access.principal import Principal
from api.base import patterns
from api.base.problems import Conflict, Forbidden, NotFound
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.campaign import StoredCampaign
from api.database.models.job import Job
from api.documents.campaign_plans import CampaignPlan
from api.documents.campaigns import CampaignDocument, TemplateDocument
from api.documents.jobs import JobDocument
from api.documents.validation import DocumentValidation
from api.http.idempotency import Once, OnlyOnce
from api.http.openapi import also
from api.http.pages import Page, Paging, paginate_list
from api.http.preconditions import IfMatch, require_match, set_etag
from api.queue.documents import job_document
from api.routes.fields import Body, FreeObject, Id, Name, Text
from api.services.campaigns import actions, creation, queries
from api.services.campaigns.asked import CampaignRequest, prepared
from api.services.campaigns.documents import campaign_document, campaign_documents
from api.services.campaigns.offers import offers_on
from api.services.campaigns.plan import plan_of, plan_of_stored
from api.services.campaigns.validation import MAX_DOCUMENT_BYTES, campaign_validation
from api.services.fabrics import get_fabric
from api.states.campaigns import CAMPAIGNS, CampaignAction, CampaignState
from tuner.campaign.shipped import goals, rank

router = APIRouter(tags=["campaigns"])

_CampaignName = Annotated[Text, Field(min_length=1, max_length=64, pattern=patterns.CAMPAIGN_NAME)]


_EXAMPLE = """\
ibcc_campaign: 1
workloads: [scenario-1]
space:
  ca.ccti_timer: {low: 10, high: 500, log: true}
confirmation: {seeds: [101, 102]}
hypervolume_reference: {victim_throughput: 0, treatment_variation: 1}
"""


class NewCampaign(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "name": "first try",
                    "fabric": "two-switch",
                    "template": "protect-a-victim",
                    "settings": {"budget.trials": 30, "time_scale": 0.1},
                }
            ]
        }
    )

    name: _CampaignName
    fabric: Name
    template: Annotated[Text, Field(max_length=64, description="Name of a template, from `list_campaign_templates`.")] | None = (
        None
    )
    spec: FreeObject | None = Field(
        None,
        description="A campaign document, instead of a template. Profiles and workloads are named as the service names them.",
    )
    settings: Annotated[FreeObject, Field(max_length=200)] = Field(
        default_factory=dict,
        description="Values by dotted path into the document, such as `budget.trials`, and `model.…` of simulated devices.",
    )
    on_simulator: bool = Field(False, description="Measure in the simulator although the fabric is emulated or real.")


class CampaignToValidate(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"document": _EXAMPLE, "fabric": "two-switch"}]})

    document: Annotated[
        Text,
        Field(max_length=MAX_DOCUMENT_BYTES, description="A campaign document (YAML). It may lack `name`."),
    ]
    fabric: Name | None = Field(
        None, description="Fabric on which it is to run; without it, only the document itself is checked."
    )
    on_simulator: bool = Field(False, description="As of `create_campaign`.")


class ChallengeBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"runs": 500, "seed": 1}]})

    runs: Annotated[int, Field(ge=60, le=100_000, description="Most simulations; each scenario takes three.")] = 500
    seed: Annotated[int, Field(ge=1, le=2**31 - 1, description="Seed of the search; another one looks elsewhere.")] = 1


class StopBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"confirm": True}]})

    confirm: bool = Field(False, description="Confirm what was found, recommend and report, instead of ending at once.")


_AT_ONCE = StopBody(confirm=False)


class ArchiveBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"archived": True}]})

    archived: bool = Field(True, description="False takes the campaign out of the archive.")


_INTO_THE_ARCHIVE = ArchiveBody(archived=True)


class CloneBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "second try", "starts": 5}]})

    name: _CampaignName
    fabric: Name | None = Field(None, description="Fabric of the new campaign; by default that of the old one.")
    starts: Annotated[
        int, Field(ge=0, le=100, description="Number of the old campaign's best profiles that are measured first.")
    ] = 0


class ResumeBody(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"measure_again": True}]})

    measure_again: bool = Field(
        False, description="Measure trials again that the campaign's own store has lost, and replace their rows."
    )


_AS_STORED = ResumeBody(measure_again=False)
_AS_USUAL = ChallengeBody()


class ExtendBody(ResumeBody):
    model_config = ConfigDict(json_schema_extra={"examples": [{"trials": 120}]})

    trials: Annotated[int, Field(ge=1, le=1_000_000, description="Number of trials, those that are finished included.")]
    time_s: Annotated[float, Field(gt=0, le=1e9, description="Seconds of searching, those that are over included.")] | None = None


@router.get("/campaign-templates", response_model=Page[TemplateDocument], responses=also(Forbidden, NotFound))
def list_campaign_templates(
    principal: Viewer,
    request: Request,
    page: Paging,
    fabric: Annotated[
        Name | None,
        Query(description="Say which of them this fabric can have. The first answer takes some seconds on a large fabric."),
    ] = None,
) -> object:
    """List the goals that a campaign can have, as templates; the one to begin with is first."""
    if fabric is not None:
        principal.require_fabric(fabric)
    offered = {} if fabric is None else offers_on(request.app.state.database, fabric)
    found, cursor = paginate_list(list(goals().values()), lambda one: rank(one.name), page)
    items = [{**asdict(one), "offer": offered.get(one.name)} for one in found]
    return {"items": items, "next_cursor": cursor}


@router.post("/campaigns/validate", responses=also(NotFound))
def validate_campaign(principal: Operator, session: Reading, body: CampaignToValidate) -> DocumentValidation:
    """Validate a campaign document: return all its errors with their places. Nothing is stored."""
    if body.fabric is not None:
        principal.require_fabric(body.fabric)
    return campaign_validation(
        session,
        principal,
        body.document,
        fabric=None if body.fabric is None else get_fabric(session, body.fabric),
        on_simulator=body.on_simulator,
    )


def _may(action: CampaignAction) -> Any:
    return acting(CAMPAIGNS.role(action))


def _asked(session: Session, principal: Principal, body: NewCampaign) -> CampaignRequest:
    """What somebody asks for, as the services take it. Raises Forbidden, NotFound."""
    principal.require_fabric(body.fabric)
    return CampaignRequest(**{**dict(body), "fabric": get_fabric(session, body.fabric)})


@router.get("/campaigns", response_model=Page[CampaignDocument])
def list_campaigns(
    principal: Viewer,
    session: Reading,
    page: Paging,
    state: CampaignState | None = None,
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
    archived: Annotated[bool | None, Query(description="Only archived campaigns, or only others; by default all.")] = None,
    search: Annotated[
        Text | None, Query(max_length=100, description="Part of the name, the fabric, the template or the author.")
    ] = None,
) -> object:
    """List the campaigns, newest first."""
    items, cursor = queries.list_campaigns(session, principal, page, state=state, fabric=fabric, archived=archived, search=search)
    return {"items": campaign_documents(session, principal, items), "next_cursor": cursor}


@router.post("/campaigns", status_code=201, responses=also(NotFound))
def create_campaign(principal: Operator, session: Writing, body: NewCampaign, response: Response) -> CampaignDocument:
    """Create a campaign as a draft. The whole document is checked; nothing runs before `start_campaign`."""
    campaign = creation.create_campaign(session, principal, _asked(session, principal, body))
    set_etag(response, campaign.revision)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return campaign_document(session, principal, campaign)


@router.post("/campaigns/plan", responses=also(NotFound))
def plan_campaign(principal: Operator, session: Reading, body: NewCampaign) -> CampaignPlan:
    """Return where a campaign's workloads would run and what it would cost. The whole document is checked, and nothing is
    stored."""
    return plan_of(prepared(session, principal, _asked(session, principal, body)).setup)


@router.get("/campaigns/{campaign_id}")
def get_campaign(principal: Viewer, session: Reading, campaign_id: Id, response: Response) -> CampaignDocument:
    """Return a campaign. `stream_events` with the topic `campaign:ID` reports its trials as they end."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    set_etag(response, campaign.revision)
    return campaign_document(session, principal, campaign)


@router.put("/campaigns/{campaign_id}", responses=also(Conflict))
def change_campaign(
    principal: Annotated[Principal, _may("change")],
    session: Writing,
    campaign_id: Id,
    body: NewCampaign,
    response: Response,
    if_match: IfMatch = None,
) -> CampaignDocument:
    """Replace a draft: its name, fabric and document. Everything is checked as by `create_campaign`."""
    campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
    require_match(if_match, campaign.revision, f"campaign '{campaign.name}'")
    creation.change_campaign(session, principal, campaign, _asked(session, principal, body))
    set_etag(response, campaign.revision)
    return campaign_document(session, principal, campaign)


@router.get("/campaigns/{campaign_id}/plan")
def get_campaign_plan(principal: Operator, session: Reading, campaign_id: Id) -> CampaignPlan:
    """Return where the workloads of a campaign run and what all of it costs."""
    return plan_of_stored(queries.get_campaign(session, principal, campaign_id))


@router.delete("/campaigns/{campaign_id}", status_code=204, responses=also(Conflict))
def delete_campaign(
    principal: Annotated[Principal, _may("delete")], session: Writing, campaign_id: Id, if_match: IfMatch = None
) -> None:
    """Delete a campaign with its trials and its report. Refused while it is queued, running, waiting or pausing."""
    campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
    require_match(if_match, campaign.revision, f"campaign '{campaign.name}'")
    actions.delete_campaign(session, principal, campaign)


@router.post("/campaigns/{campaign_id}/start", status_code=202, response_model=CampaignDocument)
def start_campaign(
    principal: Annotated[Principal, _may("start")], session: Writing, once: OnlyOnce, campaign_id: Id
) -> JSONResponse:
    """Start a draft. `Location` is its job."""
    return _enqueue_once(principal, session, once, campaign_id, None, actions.start)


@router.post("/campaigns/{campaign_id}/resume", status_code=202, response_model=CampaignDocument)
def resume_campaign(
    principal: Annotated[Principal, _may("resume")],
    session: Writing,
    once: OnlyOnce,
    settings: CurrentSettings,
    request: Request,
    campaign_id: Id,
    body: ResumeBody = _AS_STORED,
) -> JSONResponse:
    """Resume a campaign that is paused, stopped or failed. Finished trials are kept."""
    resume = functools.partial(actions.resume, state_folder=_store_folder(request, settings), measure_again=body.measure_again)
    return _enqueue_once(principal, session, once, campaign_id, body if body.measure_again else None, resume)


@router.post("/campaigns/{campaign_id}/extend", status_code=202, response_model=CampaignDocument)
def extend_campaign(
    principal: Annotated[Principal, _may("extend")],
    session: Writing,
    once: OnlyOnce,
    settings: CurrentSettings,
    request: Request,
    campaign_id: Id,
    body: ExtendBody,
) -> JSONResponse:
    """Continue a campaign to more trials."""
    extend = functools.partial(
        actions.extend,
        trials=body.trials,
        time_s=body.time_s,
        state_folder=_store_folder(request, settings),
        measure_again=body.measure_again,
    )
    return _enqueue_once(principal, session, once, campaign_id, body, extend)


def _store_folder(request: Request, settings: Settings) -> Path | None:
    """Returns the folder beside which campaigns' stores are files; None if they are in the database."""
    database: Database = request.app.state.database
    return settings.state_folder if database.is_sqlite else None


def _enqueue_once(
    principal: Principal,
    session: Session,
    once: Once,
    campaign_id: str,
    body: Body | None,
    act: Callable[[Session, Principal, StoredCampaign], Job],
) -> JSONResponse:
    queries.get_campaign(session, principal, campaign_id)  # a token for other fabrics gets no stored answer either

    def work() -> tuple[int, Any, dict[str, str]]:
        campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
        act(session, principal, campaign)
        return 202, campaign_document(session, principal, campaign), {"Location": f"/api/v1/jobs/{campaign.job}"}

    return once(session, principal, body, work)


@router.post("/campaigns/{campaign_id}/pause", status_code=202, responses=also(Conflict))
def pause_campaign(
    principal: Annotated[Principal, _may("pause")], session: Writing, campaign_id: Id, response: Response
) -> CampaignDocument:
    """Pause a campaign soon. Finished trials are kept, and the fabric gets its base profile back."""
    campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
    actions.pause(session, principal, campaign)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return campaign_document(session, principal, campaign)


@router.post("/campaigns/{campaign_id}/stop", status_code=202, responses=also(Conflict))
def stop_campaign(
    principal: Annotated[Principal, _may("stop")],
    session: Writing,
    campaign_id: Id,
    response: Response,
    body: StopBody = _AT_ONCE,
) -> CampaignDocument:
    """Stop the search: at once, or with `confirm` after a confirmation of what was found, with a report."""
    campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
    actions.stop(session, principal, campaign, confirm=body.confirm)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return campaign_document(session, principal, campaign)


@router.post("/campaigns/{campaign_id}/challenge", status_code=202, response_model=JobDocument, responses=also(Conflict))
def challenge_campaign(
    principal: Operator,
    session: Writing,
    once: OnlyOnce,
    campaign_id: Id,
    body: ChallengeBody = _AS_USUAL,
) -> JSONResponse:
    """Try to break what a finished campaign recommends: a second search over device models, contributors, places, background and
    a slow host, in simulations. `get_challenge` has the outcome."""
    queries.get_campaign(session, principal, campaign_id)

    def work() -> tuple[int, Any, dict[str, str]]:
        campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
        job = actions.challenge(session, principal, campaign, runs=body.runs, seed=body.seed)
        return 202, job_document(principal, job), {"Location": f"/api/v1/jobs/{job.id}"}

    return once(session, principal, body, work)


@router.post("/campaigns/{campaign_id}/archive", responses=also(Conflict))
def archive_campaign(
    principal: Annotated[Principal, _may("archive")],
    session: Writing,
    campaign_id: Id,
    body: ArchiveBody = _INTO_THE_ARCHIVE,
) -> CampaignDocument:
    """Archive a campaign, or take it out of the archive. Nothing is deleted; starting it again takes it out."""
    campaign = queries.get_campaign(session, principal, campaign_id, locked=True)
    actions.archive(session, principal, campaign, archived=body.archived)
    return campaign_document(session, principal, campaign)


@router.post("/campaigns/{campaign_id}/clone", status_code=201)
def clone_campaign(
    principal: Annotated[Principal, _may("clone")], session: Writing, campaign_id: Id, body: CloneBody, response: Response
) -> CampaignDocument:
    """Create a draft with the same settings, which can begin with what the old campaign found."""
    old = queries.get_campaign(session, principal, campaign_id)
    fabric = body.fabric or old.fabric
    principal.require_fabric(fabric)
    campaign = creation.clone(session, principal, old, get_fabric(session, fabric), name=body.name, starts=body.starts)
    set_etag(response, campaign.revision)
    response.headers["Location"] = f"/api/v1/campaigns/{campaign.id}"
    return campaign_document(session, principal, campaign)
