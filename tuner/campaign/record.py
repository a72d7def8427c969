# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Record that a campaign keeps of each trial."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from tuner.campaign.evaluation import Evaluation
from tuner.documents.parameter import Scalar
from tuner.goals.recommendation import Candidate

SAMPLED = "sampler"

State: TypeAlias = Literal["complete", "stopped", "screened", "failed"]
"""`complete`: the whole plan was measured. `stopped`: only until a constraint was surely broken, so that the values are of some
runs and no more than a hint. `screened`: measured cheaply, and not worth the plan. `failed`: not measured."""


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """One profile of the search, and what became of it."""

    number: int
    """Position in the campaign, from 0; an interrupted trial that is measured again keeps it."""
    origin: str
    """`sampler`, or the name of the published profile that the values are from."""
    params: Mapping[str, Scalar]
    state: State
    values: Mapping[str, float] = field(default_factory=dict)
    """Value of each objective; that of the screening in state `screened`."""
    violations: Mapping[str, float] = field(default_factory=dict)
    """Violation of each constraint; at most 0 where it is kept."""
    standard_errors: Mapping[str, float | None] = field(default_factory=dict)
    """Standard errors of the values, over the seeds; None from one seed."""
    violation_standard_errors: Mapping[str, float | None] = field(default_factory=dict)
    """Standard errors of the violations, over the seeds, those of the baseline taken in pairs with the trial's."""
    evaluation: Evaluation | None = None
    screening: Evaluation | None = None
    """The cheap measurement that came first, in campaigns with a screening."""
    reused: bool = False
    """An earlier trial had the same settings, so nothing was measured again."""
    reason: str = ""
    """Sentence that says why the trial failed, or was not measured to the end."""

    @property
    def feasible(self) -> bool:
        return self.state == "complete" and all(violation <= 0 for violation in self.violations.values())

    @property
    def candidate(self) -> Candidate:
        assert self.evaluation is not None
        metrics = self.evaluation.metrics
        return Candidate(
            number=self.number,
            feasible=self.feasible,
            victim_throughput_gbps=metrics.victim_throughput_gbps,
            treatment_variation_gbps2=metrics.treatment_variation_gbps2,
            spread_gbps=metrics.spread_gbps,
            values=self.values,
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "origin": self.origin,
            "params": dict(self.params),
            "state": self.state,
            "values": dict(self.values),
            "violations": dict(self.violations),
            "standard_errors": dict(self.standard_errors),
            "violation_standard_errors": dict(self.violation_standard_errors),
            "evaluation": None if self.evaluation is None else self.evaluation.to_json(),
            "screening": None if self.screening is None else self.screening.to_json(),
            "reused": self.reused,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "TrialRecord":
        """Also of a store that knows neither standard errors nor screenings."""
        measured = {key: document.get(key) for key in ("evaluation", "screening")}
        evaluations = {key: None if one is None else Evaluation.from_json(one) for key, one in measured.items()}
        return cls(**(dict(document) | evaluations))


def candidates(records: Iterable[TrialRecord]) -> list[Candidate]:
    """The trials that the recommendation may choose from."""
    return [record.candidate for record in records if record.state == "complete"]
