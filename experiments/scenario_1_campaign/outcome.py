# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The outcome of one search, as far as it is compared with others."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from experiments.scenario_1_campaign.replicated import Replicated
from tuner.campaign.evaluation import Evaluation
from tuner.campaign.replicates import Estimate
from tuner.campaign.result import CampaignResult
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.measuring.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Outcome of a search that recommends something. Figures are the confirmation's, of seeds that the search has not seen."""

    seed: int
    params: Mapping[str, Scalar]
    trial: int
    trials: int
    feasible: int
    off: Replicated
    expert: Replicated
    found: Replicated
    against_expert: Mapping[str, Estimate]
    """The recommendation less the expert in each metric, in pairs."""
    lost: Mapping[str, tuple[str, ...]]
    """Constraints that are broken in each scenario of the campaign."""
    series: tuple[tuple[str, Measurement], ...]
    """The expert and the recommendation, of the first seed."""

    @property
    def name(self) -> str:
        return f"search {self.seed}"

    @classmethod
    def of(cls, seed: int, result: CampaignResult) -> "Outcome":
        """Raises BadInputError if nothing is recommended: there is nothing to take apart then."""
        if result.recommended is None:
            raise BadInputError(f"search {seed} recommends nothing in {len(result.trials)} trials")
        row = None if result.scenarios is None else result.scenarios.recommended
        record, found = result.recommended.record, result.recommended.confirmed
        return cls(
            seed=seed,
            params=dict(record.params),
            trial=record.number,
            trials=len(result.trials),
            feasible=result.summary["feasible"],
            off=_replicated(result.baseline.evaluation),
            expert=_replicated(result.expert.evaluation),
            found=_replicated(found.evaluation),
            against_expert=found.against_expert,
            lost={} if row is None else dict(row.broken),
            series=(
                (result.expert.profile.name, result.expert.measurements[0]),
                (f"recommended by search {seed}", found.measurements[0]),
            ),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "params": dict(self.params),
            "trial": self.trial,
            "trials": self.trials,
            "feasible": self.feasible,
            "against_expert": {metric: estimate.to_json() for metric, estimate in self.against_expert.items()},
            "lost": dict(self.lost),
            "runs": {
                name: outcome.to_json()
                for name, outcome in (("off", self.off), ("expert", self.expert), ("recommended", self.found))
            },
        }


def _replicated(evaluation: Evaluation) -> Replicated:
    return Replicated({run.seed: run.metrics for run in evaluation.runs})
