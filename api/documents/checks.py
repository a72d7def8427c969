# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Nightly checks, their nights, trends, baselines and answers, as JSON."""

from datetime import date
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from api.base.times import Time
from api.documents.texts import Sentence
from api.states.checks import AnswerAction, AnswerState, CheckAction, CheckState, NightState, Verdict
from tuner.checks.alarm import AlarmState
from tuner.checks.decisions import DecisionKind

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
AnswerKind = Literal["reapply", "rollback", "draft_campaign"]


class CheckTemplate(BaseModel):
    """A check that comes with ibcc."""

    name: str
    description: str
    document: str = Field(description="Document (YAML).")
    kinds: list[str]


class ScheduleDocument(BaseModel):
    """Time at which a check runs each night."""

    enabled: bool
    at: str = Field(description="Time of day, `HH:MM`, by the clocks of `zone`.")
    zone: str = Field(description="Zone, such as `Europe/Oslo`.")
    days: list[Day] = Field(description="Days on which it runs.")
    late_by_h: float = Field(
        description="Hours after `at` within which a night is still run, for example if the server was down; after that it is "
        "missed."
    )
    when_busy: Literal["wait", "skip"] = Field(
        description="If something else measures on the fabric: `wait` until `late_by_h` is over, or `skip` the night."
    )


class PolicyRule(BaseModel):
    """An answer to a night that fails."""

    answer: AnswerKind = Field(
        description="`reapply`: read back all devices, and set values that differ from the base profile's again. `rollback`: "
        "make the former base profile the base again. `draft_campaign`: create a campaign as a draft."
    )
    causes: list[str] = Field(description="Names of likely causes, or codes of findings, that it answers; empty: any.")
    kinds: list[str] = Field(description="Kinds of checks whose failure it answers; empty: any.")
    template: str | None = Field(description="Campaign template of `draft_campaign`.")


class PolicyDocument(BaseModel):
    rules: list[PolicyRule] = Field(description="The first rule that matches is the answer; empty: nothing is done.")


class NightSummary(BaseModel):
    """A night in a list."""

    date: date
    state: NightState
    verdict: Verdict | None = Field(description="Verdict of the run that counts; null: there is none.")
    headline: Sentence | None = Field(description="The verdict in one line, or why there is none.")
    observed: bool = Field(description="True if something was observed, so that the night may be accepted as part of a baseline.")
    in_baseline: bool
    late: bool = Field(description="True if it ran later than scheduled.")
    planned_at: Time | None = Field(description="Time for which it was scheduled; null: a person ran it.")
    started_at: Time | None
    ended_at: Time | None
    runs: int = Field(description="Number of runs of this night.")
    by: str = Field(description="The user who ran it, or `schedule`.")
    job: str | None


class FindingDocument(BaseModel):
    code: str
    sentence: Sentence
    place: str
    evidence: str
    next_step: str = Field(description="A command that shows more, or repairs it.")
    severity: Literal["warn", "fail"]
    alarm: str | None = Field(default=None, description="State of its alarm, such as `open` or `muted`; null without one.")


class NightFinding(FindingDocument):
    entry: str = Field(description="Entry of the check that found it.")


class EntryDocument(BaseModel):
    """One entry of a check, as it was observed."""

    name: str
    kind: str
    values: dict[str, float | None] = Field(description="Values by metric.")
    units: dict[str, str] = Field(description="Units by metric; `1` for a number without one.")
    findings: list[FindingDocument] = Field(
        description="At most 200, the gravest first; `list_night_findings` has all that `findings_count` counts."
    )
    findings_count: int
    not_run: str | None = Field(description="Why it could not be run.")
    facts: list[str]
    good: bool


class RemarkDocument(BaseModel):
    subject: str = Field(description="Entry, or `entry.metric`.")
    state: Verdict
    sentence: Sentence
    since: date | None = Field(default=None, description="First night in a row that had it; null for what is new in this one.")
    code: str = Field(default="", description="Kind of its alarm; empty without one.")


class CauseDocument(BaseModel):
    name: str
    sentence: Sentence
    place: str
    evidence: list[str]
    next_step: str
    weight: float = Field(description="Natural logarithm of the odds, up to a constant that the causes of a night share.")
    known: bool = Field(description="True if the night before had it too.")


class JudgementDocument(BaseModel):
    changed: bool
    evidence: float | None
    latest: float | None
    since: date | None = Field(description="First changed night.")


class AlarmDocument(BaseModel):
    """An alarm: of a finding, by its entry, code and place, or of a metric that has changed."""

    key: str = Field(description="Tells it from the others of the check.")
    entry: str
    subject: str = Field(description="Entry, or `entry.metric`.")
    code: str = Field(description="Code of its finding; `changed` of a metric.")
    place: str
    nodes: list[str] = Field(description="Nodes that it is at, where `place` does not name them.")
    state: AlarmState = Field(
        description="`open`; `waiting`: not seen in the last night, and not repaired yet; `muted`; `muted, waiting`; or `closed`."
    )
    news: str = Field(description="What is new about it in the last night; empty if it is known.")
    severity: Literal["warn", "fail"]
    sentence: Sentence
    opened: date = Field(description="The first night that had it.")
    seen: date = Field(description="The last night that had it.")
    absent: int = Field(description="Nights since then in which its place was measured.")
    because: Sentence = Field(description="Who has muted or closed it, and why.")


class DecisionDocument(BaseModel):
    """What a person has said: something is repaired, muted, or planned to be gone or moved."""

    model_config = ConfigDict(from_attributes=True)

    number: int
    kind: DecisionKind
    what: str = Field(description="The place or metric that it is about.")
    because: Sentence
    by: str
    at: Time
    first: date | None = Field(description="First night that it is for; null: any.")
    until: date | None = Field(description="Last night that it is for; null: any.")


class AdoptedDocument(BaseModel):
    """The fabric that is expected."""

    source: str = Field(description="Where it is from.")
    night: date
    by: str
    at: Time
    because: Sentence
    entries: list[str] = Field(description="Entries that compare with it.")


class AlarmsDocument(BaseModel):
    """Alarms that the last night has left, and what people have said about the check."""

    alarms: list[AlarmDocument]
    decisions: list[DecisionDocument]
    expected: AdoptedDocument | None = Field(description="Null: devices, links and routes are compared with the last good night.")


class NightDocument(NightSummary):
    """A night with all that was observed, in the run that counts. Names of jobs and users are shown to operators only."""

    number: int | None = Field(description="Number of the run within the check's history.")
    entries: list[EntryDocument]
    remarks: list[RemarkDocument] = Field(description="At most 200 of `remarks_count`, the gravest and newest first.")
    remarks_count: int
    causes: list[CauseDocument] = Field(description="Likely causes, the most likely first.")
    judged: dict[str, JudgementDocument] = Field(description="Verdicts by `entry.metric`.")
    alarms: list[AlarmDocument] = Field(
        description="Alarms as the run left them, or as they stand now if it is the last one, with those that it closed: at most "
        "200 of `alarms_count`, those that are open and fail first."
    )
    alarms_count: int


class NightValue(BaseModel):
    date: date
    value: float


class TrendBaseline(BaseModel):
    """Baseline of a metric, and the values at which a change is found."""

    middle: float
    found: dict[str, float | None] = Field(
        description="Value that a change for the worse must reach to be found with 90 % after 1, 3 and 7 nights, by `1`, `3` "
        "and `7`; null: none is found by then."
    )


class MetricTrend(BaseModel):
    name: str = Field(description="`entry.metric`.")
    entry: str
    metric: str
    unit: str
    better: Literal["more", "less"]
    least_effect: float = Field(description="Least change of interest.")
    relative: bool = Field(description="True if `least_effect` is a share of the value before the change.")
    values: list[NightValue] = Field(description="Values by night, the oldest first.")
    baseline: TrendBaseline | None = Field(description="Null: it is not judged, as the baseline has too few values of it.")
    changed: bool
    since: date | None
    evidence: float | None


class TrendsDocument(BaseModel):
    items: list[MetricTrend]


class ChangedMetric(BaseModel):
    name: str
    unit: str
    better: Literal["more", "less"]
    state: Verdict
    sentence: Sentence
    since: date | None
    before: float | None = Field(description="Value in the last good night.")
    now: float | None


class ChangesDocument(BaseModel):
    """Changes since the last good night."""

    night: date | None = Field(description="The last night with a verdict; null: there is none.")
    state: Verdict | None
    headline: Sentence | None
    good_night: date | None = Field(description="The last night before it that passed.")
    metrics: list[ChangedMetric] = Field(description="Metrics that a remark is about.")
    new_findings: list[FindingDocument] = Field(description="Findings that the good night did not have.")
    gone_findings: list[FindingDocument] = Field(description="Findings that only the good night had.")
    not_run: list[RemarkDocument] = Field(description="Entries that could not be run.")
    causes: list[CauseDocument]


class BaselineSummary(BaseModel):
    nights: int
    first: date
    last: date
    by: str
    at: Time


class BaselineDocument(BaseModel):
    """The accepted nights."""

    nights: list[date]
    by: str
    at: Time
    only: list[str] = Field(description="Entries and metrics that it is for, while the others have the former one; empty: all.")
    former: BaselineSummary | None = Field(description="The baseline that an undo puts back.")


class AnswerDocument(BaseModel):
    """Answer to a night that failed, by the check's policy."""

    id: str
    check: str
    fabric: str
    night: date
    answer: AnswerKind
    cause: str = Field(description="Cause that it answers, as `name at place`.")
    sentence: Sentence = Field(description="What was probably wrong, and what the answer does.")
    state: AnswerState
    problem: Sentence | None
    stands: bool = Field(description="True until it is undone, has failed, or a night shows nothing of its cause any more.")
    campaign: str | None = Field(description="The campaign of a `draft_campaign`.")
    job: str | None
    undo_job: str | None
    created_at: Time
    waits_until: Time | None = Field(description="Beginning of the maintenance window that it waits for.")
    undone_at: Time | None
    undone_by: str | None
    undo_does: str = Field(description="What an undo does, in a sentence.")
    actions: list[AnswerAction] = Field(description="Actions that the caller may take now.")


class CheckEntry(BaseModel):
    name: str
    kind: str


class CheckDocument(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    name: str
    fabric: str
    description: str
    document: str = Field(description="Document, as it was written.")
    entries: list[CheckEntry]
    alarm_probability: float = Field(description="Chance of any false alarm within a year, over all metrics together.")
    learn_nights: int
    keep_nights: int = Field(description="Number of nights that are kept.")
    schedule: ScheduleDocument | None
    next_run: Time | None = Field(description="Next scheduled run; null: none is scheduled.")
    policy: PolicyDocument
    state: CheckState
    problem: Sentence | None = Field(description="What a queued night waits for.")
    job: str | None = Field(description="Job of the last run.")
    last: NightSummary | None = Field(description="The last night.")
    baseline: BaselineSummary | None
    answers: int = Field(description="Number of answers that stand.")
    created_at: Time
    created_by: str
    changed_at: Time
    changed_by: str
    etag: str
    actions: list[CheckAction] = Field(
        description="Actions that the caller may take now. An action is still refused where something else stands in its way."
    )
