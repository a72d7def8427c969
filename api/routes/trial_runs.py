# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trial runs of profiles, and what was measured before and during them."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.access.dependencies import Reading, Viewer
from api.documents.trial_runs import TrialRunOutcome
from api.http.pages import Page, Paging
from api.routes.fields import Text
from api.services import trial_outcomes

router = APIRouter(tags=["promotions"])


@router.get("/trial-runs", response_model=Page[TrialRunOutcome])
def list_trial_runs(
    principal: Viewer,
    session: Reading,
    page: Paging,
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
    profile: Annotated[Text | None, Query(max_length=64)] = None,
    version: Annotated[int | None, Query(ge=1, le=2**31 - 1, description="Version of the profile.")] = None,
) -> object:
    """List the trial runs that the service began, newest first, each with what was measured before and during it and what a
    campaign promised."""
    items, cursor = trial_outcomes.list_outcomes(session, principal, page, fabric=fabric, profile=profile, version=version)
    return {"items": [trial_outcomes.outcome_document(principal, one) for one in items], "next_cursor": cursor}
