# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A promotion of a profile to production as JSON, and what is known of its profile."""

from datetime import date
from typing import Any, Literal

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.texts import Sentence
from api.states.promotions import PromotionAction, PromotionState


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


class Spread(BaseModel):
    """A figure, and the interval that holds the true one with 95 %; null from one seed."""

    value: float
    low: float | None
    high: float | None


class EvidenceFigure(BaseModel):
    metric: str = Field(description="Metric with its unit, such as `victim_throughput_gbps`.")
    side: Literal["gain", "cost", "both"] = Field(
        description="`gain`: throughput of victims; `cost`: of contributors; `both`: of all flows."
    )
    value: Spread
    against_off: Spread | None = Field(description="The profile less congestion control off, in pairs of runs.")
    against_published: Spread | None = Field(description="The profile less the published one, in pairs of runs.")


class Measured(BaseModel):
    """Confirmation of a campaign that leaves this profile, by its settings, whatever its name."""

    campaign: str = Field(description="Identifier of the campaign.")
    name: str
    fabric: str = Field(description="Fabric of the campaign; another one than the promotion's may have other devices.")
    trial: int | None
    backend: str = Field(description="Where it was measured: `simulated`, `emulated` or `cluster`.")
    variant: str | None = Field(description="Variant of the devices for which it is the best; null: the campaign's own devices.")
    model: dict[str, Any] = Field(description="Parameters of simulated devices that were set; empty: as the fabric has them.")
    ended_at: Time | None
    figures: list[EvidenceFigure]


class NightSeen(BaseModel):
    check: str
    date: date
    verdict: str
    headline: str


class TrialRun(BaseModel):
    job: str = Field(description="Identifier of the job that began it, as in `GET /trial-runs`.")
    by: str
    began_at: Time
    ended_at: Time = Field(description="End, or now while it lasts.")
    is_over: bool
    before: NightSeen | None = Field(description="Last night of a check of the fabric before it; null: none.")
    during: list[NightSeen] = Field(description="Nights of checks of the fabric during it.")
    alarms: int = Field(description="Number of warnings and errors of devices and links during it.")
    sentence: Sentence | None = Field(
        default=None,
        description="What victims got before and during it, and what was promised; null: it began before that was kept.",
    )


class PromotionEvidence(BaseModel):
    measured: Measured | None = Field(description="Campaign that measured the profile; null: none of the service.")
    trial_runs: list[TrialRun] = Field(description="Trial runs of this version on the fabric, the newest five first.")
    undo: list[Sentence] = Field(description="What would undo the promotion, in sentences.")
    unknown: list[Sentence] = Field(description="What is not known, in sentences.")
