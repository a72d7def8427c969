# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a campaign keeps of each trial."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from tuner.campaign.evaluation import Evaluation
from tuner.campaign.recommendation import Candidate
from tuner.documents.parameter import Scalar

SAMPLED = "sampler"


@dataclass(frozen=True, kw_only=True)
class TrialRecord:
    """One profile of the search, measured or failed."""

    number: int
    """Position in the campaign, from 0; an interrupted trial that is measured again keeps it."""
    origin: str
    """`sampler`, or the name of the published profile that the values are from."""
    params: Mapping[str, Scalar]
    state: Literal["complete", "failed"]
    values: Mapping[str, float] = field(default_factory=dict)
    """By objective."""
    violations: Mapping[str, float] = field(default_factory=dict)
    """By constraint; at most 0 where it is kept."""
    evaluation: Evaluation | None = None
    reused: bool = False
    """An earlier trial had the same settings, so nothing was measured again."""
    reason: str = ""
    """Why it failed, in a sentence."""

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
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "number": self.number,
            "origin": self.origin,
            "params": dict(self.params),
            "state": self.state,
            "values": dict(self.values),
            "violations": dict(self.violations),
            "evaluation": None if self.evaluation is None else self.evaluation.to_json(),
            "reused": self.reused,
            "reason": self.reason,
        }

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "TrialRecord":
        evaluation = document["evaluation"]
        return cls(**(dict(document) | {"evaluation": None if evaluation is None else Evaluation.from_json(evaluation)}))


def candidates(records: Iterable[TrialRecord]) -> list[Candidate]:
    """The trials that the recommendation may choose from."""
    return [record.candidate for record in records if record.state == "complete"]
