# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ends an evaluation as soon as a constraint is surely broken: what is infeasible in any case need not be measured to the end.

Surely, after some of the plan's runs, means one of two things:

- All seeds of a workload are measured and the constraint is broken there. It has to be kept in every workload, so whatever the
  others bring, this trial is infeasible.
- In a workload with k of its n seeds measured, k from 2, the constraint is broken by the mean, and by so much that chance does
  not explain it: the one-sided lower confidence bound of the violation, from the differences to the baseline under the same
  seeds, is above 0. The chance of error is shared out among all such looks, n - 2 for each workload and constraint, so that
  together they stay within it (Bonferroni).

A profile that keeps the constraint under every seed is never stopped: its mean violation is not above 0 after any run.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from tuner.campaign.evaluation import Evaluation, Plan, violations
from tuner.campaign.replicates import jackknife
from tuner.goals.constraints import Bound


@dataclass(frozen=True, kw_only=True)
class EarlyStop:
    """The guard of a plan."""

    baseline: Evaluation
    """The baseline's evaluation, over the whole plan."""
    expert: Evaluation
    constraints: tuple[Bound, ...]
    confidence: float
    """Confidence that a profile is not stopped by chance, from 0.5 to below 1."""

    def broken(self, so_far: Evaluation, plan: Plan) -> str:
        """As Guard.broken. Looks at the workload that was measured last: the earlier ones were looked at then."""
        workload = so_far.runs[-1].workload
        here = so_far.part(workloads=[workload])
        for name, violation in violations(here, self.baseline, self.constraints, expert=self.expert).items():
            if violation <= 0:
                continue
            if len(here.seeds) == len(plan.seeds) or self._beyond_chance(name, here, plan):
                return (
                    f"stopped early after {len(so_far.runs)} of {plan.size} runs: {name} is surely broken, "
                    f"by {100 * violation:.2g} % in workload '{workload}'"
                )
        return ""

    def _beyond_chance(self, name: str, here: Evaluation, plan: Plan) -> bool:
        def figures(seeds: Sequence[int]) -> dict[str, float]:
            return violations(here.part(seeds=seeds), self.baseline, self.constraints, expert=self.expert)

        looks = max(1, len(plan.seeds) - 2) * len(plan.workloads) * len(self.constraints)
        bound = jackknife(here.seeds, figures)[name].at_least(1 - (1 - self.confidence) / looks)
        return bound is not None and bound > 0
