# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A promotion of a profile to production as JSON."""

from typing import Any

from pydantic import BaseModel, Field

from api.documents.texts import Sentence
from api.states.promotions import PromotionAction, PromotionState
from api.times import Time


class PromotionDocument(BaseModel):
    id: str
    fabric: str
    profile: str
    version: int
    plan_digest: str
    plan: dict[str, Any] = Field(description="Plan, as it was shown and confirmed.")
    comment: str
    state: PromotionState
    needs: str | None = Field(description="Next step that a pending promotion waits for.")
    created_at: Time
    created_by: str
    decided_at: Time | None
    decided_by: str | None
    decision_comment: str
    job: str | None
    problem: Sentence | None
    actions: list[PromotionAction] = Field(
        description="Actions that the caller may take now. Nobody approves what they may have asked for themselves. An approval "
        "is still refused where the fabric or the plan has changed."
    )
