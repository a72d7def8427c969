# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A promotion of a profile to production as JSON."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.times import Time

PromotionState = Literal["pending", "rejected", "running", "done", "failed"]


class PromotionDocument(BaseModel):
    id: str
    fabric: str
    profile: str
    version: int
    plan_digest: str
    plan: dict[str, Any] = Field(description="As it was shown when it was confirmed.")
    comment: str
    state: PromotionState
    needs: str | None = Field(description="What it waits for.")
    created_at: Time
    created_by: str
    decided_at: Time | None
    decided_by: str | None
    decision_comment: str
    job: str | None
    problem: str | None
