# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns, their trials and what these show, as JSON."""

from typing import Any, Literal

from pydantic import BaseModel, Field

from api.base.times import Time
from api.documents.routing_advice import CapacityOut
from api.documents.texts import Sentence
from api.states.campaigns import CampaignAction, CampaignState

TrialState = Literal["complete", "stopped", "screened", "failed"]


class Goal(BaseModel):
    name: str
    title: str
    unit: str
    meaning: str = Field("", description="Definition of the objective, in words; empty in campaigns of earlier releases.")
    direction: Literal["maximize", "minimize"]
    hypervolume_reference: float = Field(
        description="Reference point of the hypervolume: worse than any useful value, and fixed, so that searches can be "
        "compared."
    )
    baseline: float | None = Field(None, description="Value with congestion control off; known once the search has begun.")
    expert: float | None = Field(None, description="Value of the published profile.")


class PhaseProgress(BaseModel):
    done: int = Field(description="Trials of the search; of the other phases the runs of profiles that are measured.")
    total: int = Field(description="Trials of the budget; of the other phases the runs that the phase has at least.")
    remaining_s: float | None = Field(description="Seconds left, by the pace so far; null before the first one.")


class CampaignDocument(BaseModel):
    id: str
    name: str
    fabric: str
    state: CampaignState
    phase: str = Field(description="Phase of a running campaign: `references`, `search` or `confirmation`.")
    progress: PhaseProgress | None = Field(description="Progress of the phase of a running campaign; null in other states.")
    finding: Sentence = Field(
        description="What was found, in one sentence with numbers, against congestion control off and the published profile, by "
        "model of the devices; of a campaign that has not finished, what the search has found so far."
    )
    template: str | None
    spec: dict[str, Any] = Field(description="The campaign document.")
    settings: dict[str, Any] = Field(description="Parameters of simulated devices.")
    objectives: list[Goal]
    trials_done: int
    trials_total: int
    best: dict[str, Any] | None = Field(
        description="The trial that would be recommended now, measured with the search's seeds; at the end the recommended "
        "one, as the "
        "confirmation measured it, with `beside`, the values of `baseline` and `expert` there, and `metrics`, of the "
        "`recommended` profile too. Then `profiles` has "
        "`{file, variant, settings, devices, origin, trial, gain}` of the best profile for each model of the devices, where one "
        "does not serve them all; `variant` is null for the campaign's own devices, `devices` names each model in words, and "
        "`gain` says what the profile is worth there. `scenarios`, null without scenarios and variants, has `sentence`, what "
        "the profile holds for, `names`, those of the scenarios, `rows`, for each profile `{role, origin, trial, file, served, "
        "of, cells}` with who loses in each scenario, and `prices`, "
        "`{served, scenario, trial, contributors_share}` for each further scenario."
    )
    recommended: int | None = Field(
        description="Number of the recommended trial; null before the end, and if no trial keeps the constraints."
    )
    ended: str | None = Field(description="Why the search ended.")
    problem: Sentence | None
    outdated: str | None = Field(
        description="What has changed since it was measured, so that its values may suit less well: the rest of a sentence "
        "about the campaign. Null: nothing. Lists do not compare the fabric's wiring."
    )
    capacity: CapacityOut | None = Field(
        None,
        description="What the routing carries that simulations rest on; null in lists, for measurements on devices, and where "
        "that is unknown.",
    )
    archived: bool = Field(description="Lists leave it out unless they are asked for archived campaigns.")
    elapsed_s: float = Field(description="Seconds spent searching.")
    created_at: Time
    created_by: str
    started_at: Time | None
    ended_at: Time | None
    resumes_at: Time | None = Field(description="Time at which a waiting campaign continues.")
    job: str | None
    etag: str
    actions: list[CampaignAction] = Field(
        description="Actions that the caller may take now. `finish` is `stop` with `confirm`. An action is still refused where "
        "something else stands in its way, such as a fabric that was deleted."
    )


class TrialDocument(BaseModel):
    number: int
    origin: str = Field(description="`sampler`, or the name of the profile that the values are from.")
    state: TrialState
    feasible: bool
    on_front: bool
    params: dict[str, Any]
    values: dict[str, float | None] = Field(description="Values by objective.")
    violations: dict[str, float] = Field(description="Violation by constraint; at most 0 where the constraint is kept.")
    hypervolume: float | None = Field(description="Hypervolume of all trials up to this one.")
    duration_s: float | None
    reused: bool
    reason: Sentence = Field(description="Why the trial failed, or was not measured to the end.")
    ended_at: Time


class FlowSample(BaseModel):
    t_s: float
    gbps: float


class FlowSeries(BaseModel):
    name: str
    src: str
    dst: str
    role: str
    mean_gbps: float
    series: list[FlowSample]


class TrialMeasurement(BaseModel):
    workload: str
    seed: int
    flows: list[FlowSeries]
    flows_total: int = Field(description="Number of flows; only the first of them are returned.")
    metrics: dict[str, Any]


class TrialDetail(TrialDocument):
    metrics: dict[str, Any] | None = Field(description="Means over all runs.")
    measurements: list[TrialMeasurement] = Field(description="The first measurement of each workload.")
    profile_yaml: str


class FrontPoint(BaseModel):
    number: int
    values: dict[str, float]
    on_front: bool
    feasible: bool
    params: dict[str, Any] | None = Field(None, description="The trial's parameters, if `params` asks for them.")


class FrontDocument(BaseModel):
    objectives: list[Goal]
    points: list[FrontPoint]
    reference: dict[str, dict[str, float]] = Field(description="Values of the `baseline` and the `expert`.")


class HypervolumePoint(BaseModel):
    trial: int
    hypervolume: float


class HypervolumeDocument(BaseModel):
    reference: dict[str, float] = Field(description="The reference point: a value of each objective.")
    unit: str = Field(description="Product of the objectives' units; empty if they have none.")
    points: list[HypervolumePoint]


class ImportanceDocument(BaseModel):
    shares: dict[str, dict[str, float]] = Field(
        description="Shares by objective and parameter; the shares of an objective sum to 1."
    )
    within_noise: list[str] = Field(
        description="Objectives in which the trials do not differ beyond noise, so that no share means anything."
    )
    evaluator: str
    caution: str | None


class OfferDocument(BaseModel):
    """A goal on a fabric."""

    offered: bool
    reason: Sentence = Field(description="Why it is not offered, or what takes part and what victims get.")
    busy: float | None = Field(description="Fraction of the hosts that take part; null: none were found.")
    share: float | None = Field(
        description="What victims get with congestion control off, as a fraction of their fair share; null: not measured."
    )


class TemplateDocument(BaseModel):
    name: str
    title: str
    description: str
    offer: OfferDocument | None = Field(None, description="Whether the fabric that was asked about can have it; null: none was.")
    document: str = Field(description="Document (YAML) with its comments.")
    spec: dict[str, Any] = Field(description="What the document says.")


class ChallengeDocument(BaseModel):
    """The challenge of a campaign's recommendation."""

    outcome: dict[str, Any] | None = Field(
        description="What the last challenge found: `sentence`, `next_step`, `holds`, `worst`, `limits`, `stated`, …; null: none "
        "has ended."
    )
    job: str | None = Field(description="Job of a challenge that waits or runs.")
