# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Results of a campaign: its trials, their front, and the report."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Path, Query
from fastapi.responses import HTMLResponse, Response

from api.access.dependencies import Reading, Viewer
from api.base.tables import csv_response
from api.documents.campaigns import (
    ChallengeDocument,
    FrontDocument,
    HypervolumeDocument,
    ImportanceDocument,
    TrialDetail,
    TrialDocument,
    TrialState,
)
from api.http.pages import Page, Paging
from api.routes.fields import Id, Text
from api.routes.texts import YamlResponse, described
from api.services.campaigns import queries, trials
from api.services.campaigns.documents import trial_detail, trial_document
from tuner.campaign.hypervolumes import unit_of_hypervolume
from tuner.campaign.importance import EVALUATOR, FEWEST_TRIALS, TRUSTED_TRIALS

router = APIRouter(tags=["campaigns"])

# The report is one page with its own style and a script that sorts tables. In a sandbox it has no origin, and thus no session.
_REPORT_POLICY = (
    "sandbox allow-scripts; default-src 'none'; style-src 'unsafe-inline'; script-src 'unsafe-inline'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'self'"
)
_CSV = {"text/csv": {"schema": {"type": "string"}}}


@router.get(
    "/campaigns/{campaign_id}/trials",
    response_model=Page[TrialDocument],
    responses={200: {"content": _CSV, "description": "A page of trials, or all of them as CSV."}},
)
def list_trials(
    principal: Viewer,
    session: Reading,
    page: Paging,
    campaign_id: Id,
    state: TrialState | None = None,
    sort: Annotated[
        Text,
        Query(max_length=100, description="`number`, `duration_s`, an objective or a parameter. A `-` in front sorts downwards."),
    ] = "number",
    format: Literal["json", "csv"] = "json",
) -> object:
    """List the trials that have ended. `format=csv` returns all of them in one file."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    if format == "csv":
        ended = [one for one in trials.all_trials(session, campaign) if state in (None, one.state)]
        return csv_response(f"trials-{campaign.id}", *trials.trial_columns(ended))
    items, cursor = trials.list_trials(session, campaign, page, state=state, sort=sort)
    return {"items": [trial_document(trial) for trial in items], "next_cursor": cursor}


@router.get("/campaigns/{campaign_id}/trials/{number}")
def get_trial(
    principal: Viewer, session: Reading, campaign_id: Id, number: Annotated[int, Path(ge=0, le=2**31 - 1)]
) -> TrialDetail:
    """Return a trial with the throughput of each flow and the profile that was tried."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    trial = trials.get_trial(session, campaign, number)
    return trial_detail(trial, trials.series_of(session, trial), trials.profile_of(campaign, trial))


@router.get("/campaigns/{campaign_id}/front")
def get_front(
    principal: Viewer,
    session: Reading,
    campaign_id: Id,
    params: Annotated[bool, Query(description="Return each trial's parameters too.")] = False,
) -> FrontDocument:
    """Return the objectives of all complete trials, and which trials are on the Pareto front."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    points = [
        {"number": row.number, "values": row.outcomes, "on_front": row.on_front, "feasible": row.feasible}
        | ({"params": row.params} if params else {})
        for row in trials.measured(session, campaign, params=params)
    ]
    reference = {role: {goal["name"]: goal[role] for goal in campaign.goals if role in goal} for role in ("baseline", "expert")}
    return FrontDocument.model_validate({"objectives": campaign.goals, "points": points, "reference": reference})


@router.get("/campaigns/{campaign_id}/hypervolume")
def get_hypervolume(principal: Viewer, session: Reading, campaign_id: Id) -> HypervolumeDocument:
    """Return the hypervolume that the feasible trials dominate, after each trial."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    points = [{"trial": number, "hypervolume": volume} for number, volume in trials.hypervolumes(session, campaign)]
    reference = {goal["name"]: goal["hypervolume_reference"] for goal in campaign.goals}
    unit = unit_of_hypervolume(goal["unit"] for goal in campaign.goals)
    return HypervolumeDocument.model_validate({"reference": reference, "unit": unit, "points": points})


@router.get("/campaigns/{campaign_id}/importance")
def get_importance(principal: Viewer, session: Reading, campaign_id: Id) -> ImportanceDocument:
    """Return how much each parameter decided whether a trial was among the best. Computed every twenty trials and at the end."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    few = campaign.trials_done < TRUSTED_TRIALS
    caution = f"With only {campaign.trials_done} trials this is a hint, not a proof." if few else None
    shares = campaign.importance or {}
    known = campaign.importance is not None and campaign.trials_done >= FEWEST_TRIALS
    alike = [goal["name"] for goal in campaign.goals if known and goal["name"] not in shares]
    return ImportanceDocument(shares=shares, within_noise=alike, evaluator=EVALUATOR, caution=caution)


@router.get(
    "/campaigns/{campaign_id}/report",
    response_class=HTMLResponse,
    responses=described("A page that needs no other file."),
)
def get_report(principal: Viewer, session: Reading, campaign_id: Id) -> Response:
    """Return the report as a page. It exists once the confirmation has ended."""
    text = queries.artifact(session, queries.get_campaign(session, principal, campaign_id), "report.html")
    return HTMLResponse(text, headers={"Content-Security-Policy": _REPORT_POLICY, "X-Frame-Options": "SAMEORIGIN"})


@router.get("/campaigns/{campaign_id}/report.json")
def get_report_json(principal: Viewer, session: Reading, campaign_id: Id) -> dict[str, Any]:
    """Return the report as JSON. It exists once the confirmation has ended."""
    text = queries.artifact(session, queries.get_campaign(session, principal, campaign_id), "report.json")
    return Response(text, media_type="application/json")  # type: ignore[return-value]


@router.get(
    "/campaigns/{campaign_id}/profile",
    response_class=YamlResponse,
    responses=described("A profile document."),
)
def get_recommended_profile(
    principal: Viewer,
    session: Reading,
    campaign_id: Id,
    file: Annotated[
        Text,
        Query(
            max_length=150,
            pattern=r"^profile(-[A-Za-z0-9._-]+)?\.yaml$",
            description="Another of the profiles: a `file` of the campaign's `best.profiles`, for one model of the devices.",
        ),
    ] = "profile.yaml",
) -> Response:
    """Return the recommended profile as YAML."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    queries.require_real_devices(campaign)
    text = queries.artifact(session, campaign, file)
    return YamlResponse(text)


@router.get("/campaigns/{campaign_id}/challenge")
def get_challenge(principal: Viewer, session: Reading, campaign_id: Id) -> ChallengeDocument:
    """Return what the last challenge found: whether the recommendation holds in its region, and its worst scenario there."""
    campaign = queries.get_campaign(session, principal, campaign_id)
    return ChallengeDocument(
        outcome=queries.challenge_outcome(session, campaign), job=queries.challenge_at_work(session, campaign)
    )
