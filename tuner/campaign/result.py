# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a finished campaign knows."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.evaluation import Evaluation
from tuner.campaign.record import TrialRecord
from tuner.campaign.setup import Setup
from tuner.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """A profile measured with fresh seeds."""

    profile: Profile
    evaluation: Evaluation
    measurements: tuple[Measurement, ...]
    """The first seed's, one for each workload: what the plots show."""
    violations: Mapping[str, float]

    @property
    def feasible(self) -> bool:
        return all(violation <= 0 for violation in self.violations.values())


@dataclass(frozen=True, kw_only=True)
class CampaignResult:
    """The trials, the references under the search's conditions and under the confirmation's, and the pick."""

    setup: Setup
    trials: tuple[TrialRecord, ...]
    baseline_search: Evaluation
    expert_search: Evaluation
    baseline: Confirmed
    expert: Confirmed
    recommended: tuple[TrialRecord, Confirmed] | None
    """None: no trial keeps the constraints, or none of those that were confirmed does."""
    rejected: tuple[tuple[TrialRecord, Confirmed], ...]
    """Candidates that the rule chose and the confirmation refused, in that order."""
    importance: Mapping[str, Mapping[str, float]]
    """By objective and parameter; empty with fewer than two trials."""
    elapsed_s: float
    """Time spent searching, all sessions."""
    storage: str

    @property
    def summary(self) -> dict[str, Any]:
        """Counts of trials."""
        return {
            "trials": len(self.trials),
            "feasible": sum(trial.feasible for trial in self.trials),
            "failed": sum(trial.state == "failed" for trial in self.trials),
            "reused": sum(trial.reused for trial in self.trials),
        }
