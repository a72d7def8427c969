# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Promotions of profiles to production."""

from typing import Annotated, Any

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse
from pydantic import ConfigDict, Field
from sqlalchemy.orm import Session

from api.access.dependencies import CurrentSettings, Operator, Reading, Viewer, Writing, acting
from api.access.principal import Principal
from api.base import patterns
from api.base.problems import Conflict, NotFound
from api.database.models.promotion import Promotion
from api.documents.fabrics import PlanOut
from api.documents.promotions import PromotionDocument, PromotionEvidence
from api.http.idempotency import OnlyOnce
from api.http.openapi import also
from api.http.pages import Page, Paging
from api.routes.database import CurrentDatabase
from api.routes.fields import Body, Id, Name, Text
from api.services import promotions
from api.services.fabric_actions import Deferred, FabricView, view_fabric
from api.services.fabric_documents import plan_document
from api.services.trial_outcomes import evidence_with_figures
from api.states.promotions import PROMOTIONS, PromotionState

router = APIRouter(tags=["promotions"])


class NewPromotion(Body):
    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "fabric": "two-switch",
                    "profile": "gran-2010",
                    "version": 1,
                    "plan_digest": "0" * 64,
                    "comment": "Cures the backup's victims.",
                }
            ]
        }
    )

    fabric: Name
    profile: Name
    version: Annotated[int, Field(ge=1, le=2**31 - 1)]
    plan_digest: Annotated[str, Field(pattern=patterns.DIGEST, description="The `digest` of the plan that was shown.")]
    comment: Annotated[Text, Field(max_length=2000)] = ""


class Decision(Body):
    model_config = ConfigDict(json_schema_extra={"examples": [{"comment": "Looked at the report."}]})

    comment: Annotated[Text, Field(max_length=2000)] = ""


def _document(session: Session, principal: Principal, promotion: Promotion) -> PromotionDocument:
    state, problem = promotions.present_state(session, promotion)
    return PromotionDocument.model_validate(
        {
            **{name: getattr(promotion, name) for name in PromotionDocument.model_fields if name not in ("needs", "actions")},
            "state": state,
            "problem": problem,
            "needs": "the approval of another operator" if state == "pending" else None,
            "actions": promotions.actions_of(session, principal, promotion),
        }
    )


def _accepted(session: Session, principal: Principal, promotion: Promotion) -> tuple[int, Any, dict[str, str]]:
    return 202, _document(session, principal, promotion), {"Location": f"/api/v1/promotions/{promotion.id}"}


@router.get("/promotions", response_model=Page[PromotionDocument])
def list_promotions(
    principal: Viewer,
    session: Reading,
    page: Paging,
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
    state: PromotionState | None = None,
) -> object:
    """List the promotions, newest first."""
    items, cursor = promotions.list_promotions(session, principal, page, fabric=fabric, state=state)
    return {"items": [_document(session, principal, one) for one in items], "next_cursor": cursor}


@router.post("/promotions", status_code=202, response_model=PromotionDocument, responses=also(NotFound))
def create_promotion(
    principal: Operator,
    settings: CurrentSettings,
    database: CurrentDatabase,
    session: Writing,
    once: OnlyOnce,
    body: NewPromotion,
) -> JSONResponse:
    """Make a profile the base of a fabric, as the plan with that digest says; 409 if the plan has changed. Where the settings or
    the fabric require a second person, the promotion waits for their approval."""
    principal.require_fabric(body.fabric)
    found = Deferred(lambda: view_fabric(database, principal, body.fabric, body.profile, body.version))

    def work() -> tuple[int, Any, dict[str, str]]:
        promotion = promotions.create_promotion(session, principal, settings, found.get(), body.plan_digest, body.comment)
        return _accepted(session, principal, promotion)

    return once(session, principal, body, work)


@router.get("/promotions/{promotion_id}")
def get_promotion(principal: Viewer, session: Reading, promotion_id: Id) -> PromotionDocument:
    """Return a promotion, with the plan as it was confirmed."""
    return _document(session, principal, promotions.get_promotion(session, principal, promotion_id))


@router.get("/promotions/{promotion_id}/evidence")
def get_promotion_evidence(principal: Viewer, session: Reading, promotion_id: Id) -> PromotionEvidence:
    """Return what is known of a promotion's profile: the campaign that measured it, trial runs of it, and what would undo it."""
    return evidence_with_figures(session, principal, promotions.get_promotion(session, principal, promotion_id))


@router.post("/promotions/{promotion_id}/approve", status_code=202, response_model=PromotionDocument)
def approve_promotion(
    principal: Annotated[Principal, acting(PROMOTIONS.role("approve"))],
    database: CurrentDatabase,
    session: Writing,
    once: OnlyOnce,
    promotion_id: Id,
    body: Decision,
) -> JSONResponse:
    """Approve a promotion that another operator asked for; 409 if the plan has changed, which makes it outdated. It ends
    a trial run of whoever asked or approves."""
    with database.reading() as reading:
        asked = promotions.get_promotion(reading, principal, promotion_id)
    found = _found(database, principal, asked)
    with database.writing() as noting:  # its own transaction: the refusal of an outdated promotion takes back the other one
        _note(noting, principal, promotion_id, found)

    def work() -> tuple[int, Any, dict[str, str]]:
        promotion = promotions.get_promotion(session, principal, promotion_id, locked=True)
        return _accepted(session, principal, promotions.approve(session, principal, promotion, found, body.comment))

    return once(session, principal, body, work)


@router.post("/promotions/{promotion_id}/plan")
def plan_promotion(principal: Operator, database: CurrentDatabase, session: Writing, promotion_id: Id) -> PlanOut:
    """Return the plan of a promotion as it is now. Nothing is sent. A promotion that waits for approval is outdated if the plan
    is another one than the one that was shown."""
    with database.reading() as reading:
        asked = promotions.get_promotion(reading, principal, promotion_id)
    found = _found(database, principal, asked)
    view = found.get()
    assert view.plan is not None
    assert view.profile is not None
    _note(session, principal, promotion_id, found)
    return plan_document(session, view.plan, view.profile)


@router.post("/promotions/{promotion_id}/repeat", status_code=202, response_model=PromotionDocument)
def repeat_promotion(
    principal: Annotated[Principal, acting(PROMOTIONS.role("repeat"))],
    settings: CurrentSettings,
    database: CurrentDatabase,
    session: Writing,
    once: OnlyOnce,
    promotion_id: Id,
) -> JSONResponse:
    """Ask again for a promotion that is outdated. The new one has the plan as it is now, and waits for the approval of another
    operator."""
    with database.reading() as reading:
        asked = promotions.get_promotion(reading, principal, promotion_id)
    found = _found(database, principal, asked)

    def work() -> tuple[int, Any, dict[str, str]]:
        promotion = promotions.get_promotion(session, principal, promotion_id, locked=True)
        return _accepted(session, principal, promotions.repeat(session, principal, settings, promotion, found))

    return once(session, principal, None, work)


def _found(database: CurrentDatabase, principal: Principal, asked: Promotion) -> Deferred[FabricView]:
    """The fabric and the promotion's plan as they are now."""
    return Deferred(lambda: view_fabric(database, principal, asked.fabric, asked.profile, asked.version))


def _note(session: Session, principal: Principal, promotion_id: str, found: Deferred[FabricView]) -> None:
    promotion = promotions.get_promotion(session, principal, promotion_id, locked=True)
    promotions.note_plan(session, promotion, found)


@router.post("/promotions/{promotion_id}/reject", responses=also(Conflict))
def reject_promotion(
    principal: Annotated[Principal, acting(PROMOTIONS.role("reject"))], session: Writing, promotion_id: Id, body: Decision
) -> PromotionDocument:
    """Reject a promotion that waits for approval. The fabric stays as it is."""
    promotion = promotions.get_promotion(session, principal, promotion_id, locked=True)
    return _document(session, principal, promotions.reject(session, principal, promotion, body.comment))
