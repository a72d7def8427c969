# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The results of two searches from the same seed."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments.fewer_trials.cases import Case
from tuner.campaign.evaluation import objective_values, violations
from tuner.campaign.hypervolumes import Hypervolumes
from tuner.campaign.result import CampaignResult
from tuner.goals.pareto import hypervolume

TOLERANCE = 0.01
"""Part of the expert's hypervolume by which a search must beat him."""


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Hypervolumes are up to the document's reference point, of the feasible trials' values under the search's own seeds, which
    both searches share."""

    case: Case
    seed: int
    long: Sequence[float]
    """Hypervolume after each trial of the search without help."""
    short: Sequence[float]
    """Hypervolume after each trial of the search with help."""
    beaten_after: int | None
    """Trials of the search without help until one beats the expert; None: none does."""

    def part(self, trials: int) -> float:
        """Returns the hypervolume after so many trials with help, as a part of what all trials without help reach."""
        return self.short[min(trials, len(self.short)) - 1] / self.long[-1] if self.long[-1] else 1.0

    def to_json(self) -> dict[str, Any]:
        return {
            "campaign": self.case.campaign,
            "variant": self.case.variant,
            "seed": self.seed,
            "long": list(self.long),
            "short": list(self.short),
            "beaten_after": self.beaten_after,
        }


def outcome(case: Case, seed: int, *, long: CampaignResult, short: CampaignResult) -> Outcome:
    return Outcome(case=case, seed=seed, long=_hypervolumes(long), short=_hypervolumes(short), beaten_after=beaten_after(long))


def beaten_after(result: CampaignResult) -> int | None:
    """Returns the number of trials until one alone dominates more than the expert does, by more than 1 %. An expert that breaks a
    constraint dominates nothing. Not until one dominates the expert: where congestion control does nothing, the treatment of
    contributors has no variation, and nothing that cures dominates that."""
    setup, expert = result.setup, result.expert_search
    corner = tuple(one.sign * setup.campaign.hypervolume_reference[one.name] for one in setup.objectives)

    def alone(values: Mapping[str, float]) -> float:
        return hypervolume([tuple(one.sign * values[one.name] for one in setup.objectives)], corner)

    broken = violations(expert, result.baseline_search, setup.constraints, expert=expert)
    feasible = all(violation <= 0 for violation in broken.values())
    least = (1 + TOLERANCE) * alone(objective_values(expert, setup.objectives)) if feasible else 0.0
    better = (count for count, trial in enumerate(result.trials, start=1) if trial.feasible and alone(trial.values) > least)
    return next(better, None)


def _hypervolumes(result: CampaignResult) -> list[float]:
    setup = result.setup
    return Hypervolumes(setup.objectives, setup.campaign.hypervolume_reference, result.trials).history
