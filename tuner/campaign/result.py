# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Result of a finished campaign."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.estimates import (
    Estimates,
    metric_differences,
    metric_estimates,
    value_differences,
    value_estimates,
    violation_estimates,
)
from tuner.campaign.evaluation import Evaluation
from tuner.campaign.pool import Outcome
from tuner.campaign.record import TrialRecord
from tuner.campaign.scenarios.findings import ScenarioFindings
from tuner.campaign.setup import Setup
from tuner.goals.recommendation import Candidate
from tuner.measuring.configuration import Configuration
from tuner.measuring.measurement import Measurement


@dataclass(frozen=True, kw_only=True)
class Confirmed:
    """A configuration measured with fresh seeds, next to the baseline and the expert."""

    configuration: Configuration
    evaluation: Evaluation
    measurements: tuple[Measurement, ...]
    """The first seed's, one for each workload: what the plots show."""
    metrics: Estimates
    """Estimate of each metric that has a value in every run."""
    values: Estimates
    """Estimate of each objective."""
    violations_estimated: Estimates
    """Estimate of each constraint's violation, in pairs with the baseline."""
    against_baseline: Estimates
    """This profile less the baseline in each metric, in pairs."""
    against_expert: Estimates
    """This profile less the expert in each metric, in pairs."""
    values_against_expert: Estimates
    """This profile less the expert in each objective, in pairs."""

    @property
    def profile(self) -> Profile:
        return self.configuration.profile

    @property
    def violations(self) -> dict[str, float]:
        """Violation of each constraint; at most 0 where it is kept."""
        return {name: estimate.value for name, estimate in self.violations_estimated.items()}

    @property
    def feasible(self) -> bool:
        return all(violation <= 0 for violation in self.violations.values())

    def candidate(self, number: int) -> Candidate:
        """Returns the figures that the rule of recommendation compares; `number`: the trial's."""
        metrics = self.evaluation.metrics
        return Candidate(
            number=number,
            feasible=self.feasible,
            victim_throughput_gbps=metrics.victim_throughput_gbps,
            treatment_variation_gbps2=metrics.treatment_variation_gbps2,
            spread_gbps=metrics.spread_gbps,
            values={name: estimate.value for name, estimate in self.values.items()},
        )


def confirmed(
    setup: Setup, configuration: Configuration, outcome: Outcome, *, baseline: Evaluation, expert: Evaluation
) -> Confirmed:
    """All evaluations must be of the same plan. Raises BadInputError if a run has no value for an objective or a constraint."""
    evaluation, measurements = outcome
    return Confirmed(
        configuration=configuration,
        evaluation=evaluation,
        measurements=measurements,
        metrics=metric_estimates(evaluation),
        values=value_estimates(evaluation, setup.objectives),
        violations_estimated=violation_estimates(evaluation, baseline, setup.constraints, expert=expert),
        against_baseline=metric_differences(evaluation, evaluation.compared_with(baseline)),
        against_expert=metric_differences(evaluation, expert),
        values_against_expert=value_differences(evaluation, expert, setup.objectives),
    )


@dataclass(frozen=True, kw_only=True)
class Tried:
    """A trial of the search that was confirmed."""

    record: TrialRecord
    confirmed: Confirmed


@dataclass(frozen=True, kw_only=True)
class CampaignResult:
    """The trials, the references under the search's conditions and under the confirmation's, and the pick."""

    setup: Setup
    trials: tuple[TrialRecord, ...]
    baseline_search: Evaluation
    expert_search: Evaluation
    baseline: Confirmed
    expert: Confirmed
    front: tuple[Tried, ...]
    """Trials that were confirmed, in the order in which they were chosen: the front of the search, and further trials if none of
    the front kept the constraints."""
    recommended: Tried | None
    """None: no trial keeps the constraints, or none of those that were confirmed does."""
    picked_by_rule: int | None
    """The trial that the rule picks of the confirmed ones, for the campaign's own devices alone; another one is recommended if a
    person chose it, or if it serves more scenarios."""
    scenarios: ScenarioFindings | None = None
    """None in a campaign without scenarios and without variants, or with variants and no recommendation."""
    importance: Mapping[str, Mapping[str, float]]
    """Importance by objective and parameter; empty with fewer complete trials than `importance.FEWEST_TRIALS`."""
    elapsed_s: float
    """Time spent searching, all sessions."""
    storage: str

    @property
    def rejected(self) -> tuple[Tried, ...]:
        """Trials that kept the constraints in the search and broke one at the confirmation."""
        return tuple(tried for tried in self.front if not tried.confirmed.feasible)

    @property
    def summary(self) -> dict[str, Any]:
        """Counts of trials."""
        return {
            "trials": len(self.trials),
            "feasible": sum(trial.feasible for trial in self.trials),
            "failed": sum(trial.state == "failed" for trial in self.trials),
            "stopped": sum(trial.state == "stopped" for trial in self.trials),
            "screened": sum(trial.state == "screened" for trial in self.trials),
            "reused": sum(trial.reused for trial in self.trials),
        }
