# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says which scenarios a profile serves: those in which it keeps every constraint of the campaign."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.campaign.evaluation import Evaluation, Run, violations
from tuner.goals.constraints import Bound


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Constraints of a campaign, with what they are measured by."""

    baseline: Evaluation
    """Of a plan over all scenarios."""
    expert: Evaluation
    constraints: tuple[Bound, ...]

    def violations(self, evaluation: Evaluation) -> dict[str, dict[str, float]]:
        """Returns by scenario how far each constraint is violated there; at most 0 where it is kept."""
        baseline, expert = (_under(one, evaluation.seeds) for one in (self.baseline, self.expert))
        return {
            name: violations(evaluation.part(workloads=[name]), baseline, self.constraints, expert=expert)
            for name in evaluation.workloads
        }

    def broken(self, evaluation: Evaluation) -> dict[str, tuple[str, ...]]:
        """Returns by scenario that was measured the constraints that are broken there; none where it is served."""
        found = self.violations(evaluation)
        return {scenario: tuple(name for name, by in here.items() if by > 0) for scenario, here in found.items()}


def _under(reference: Evaluation, seeds: Sequence[int]) -> Evaluation:
    """Returns what the search measured of a published profile, for other seeds: its means stand for them."""
    if set(seeds) <= set(reference.seeds):
        return reference
    means = reference.by_workload()
    runs = tuple(Run(workload=name, seed=seed, metrics=metrics) for name, metrics in means.items() for seed in seeds)
    return replace(reference, runs=runs)


def lost(broken: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the scenarios that are not served."""
    return [scenario for scenario, names in broken.items() if names]
