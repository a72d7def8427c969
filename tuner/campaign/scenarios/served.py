# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says which scenarios a profile serves: those in which it keeps every constraint of the campaign.

A campaign with variants may have no constraint on victims or on contributors. Then their shares are asked for as scenarios ask
for them, where a workload has such flows: without victims in view every mild profile would serve everything. What the expert has
is no yardstick there where he breaks another constraint himself.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from tuner.campaign.evaluation import Evaluation, Run, violations
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE, VICTIMS_SHARE
from tuner.goals.constraints import CONSTRAINTS, Bound

_SHARES = (
    ("victims_share", VICTIMS_SHARE, set[str]()),
    ("contributors_share", CONTRIBUTORS_SHARE, {"contributor_total", "total_throughput"}),
)
"""Share, its limit, and constraints that do as well. One on victims against the expert does not: he may be lost himself."""
FAR = 0.25
"""Violation above which a scenario is missed by far: somebody loses most of what is asked for him, and not a little of it."""


@dataclass(frozen=True, kw_only=True)
class Judge:
    """Constraints of a campaign, with what they are measured by."""

    baseline: Evaluation
    """Of a plan over all scenarios."""
    expert: Evaluation
    constraints: tuple[Bound, ...]
    implied: tuple[Bound, ...] = ()
    """Shares that no constraint of the campaign asks for. They count in scenarios that have such flows."""
    by_lost_expert: bool = True
    """Constraints that are measured by the expert count where he breaks others himself too."""

    def violations(self, evaluation: Evaluation) -> dict[str, dict[str, float]]:
        """Returns by scenario how far each constraint is violated there; at most 0 where it is kept."""
        baseline, expert = (_under(one, evaluation.seeds) for one in (self.baseline, self.expert))
        return {
            name: violations(evaluation.part(workloads=[name]), baseline, self._constraints_in[name], expert=expert)
            for name in evaluation.workloads
        }

    @cached_property
    def _constraints_in(self) -> Mapping[str, Sequence[Bound]]:
        """Constraints by scenario."""
        found: dict[str, Sequence[Bound]] = {}
        for name, metrics in self.baseline.by_workload().items():
            bounds = [*self.constraints, *(bound for bound in self.implied if getattr(metrics, bound.name) is not None)]
            others = [bound for bound in bounds if bound.of != "expert"]
            if not self.by_lost_expert and len(others) < len(bounds):
                expert = violations(self.expert.part(workloads=[name]), self.baseline, others)
                bounds = others if any(violation > 0 for violation in expert.values()) else bounds
            found[name] = bounds
        return found

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


def implied_by(constraints: Sequence[Bound]) -> tuple[Bound, ...]:
    """Returns the shares of victims and of contributors that scenarios ask for, each only if no constraint is on these flows."""
    asked = {bound.name for bound in constraints}
    return tuple(
        Bound(constraint=CONSTRAINTS.get(share), limit=limit, of="value")
        for share, limit, others in _SHARES
        if not asked & {share, *others}
    )


def lost(broken: Mapping[str, Sequence[str]]) -> list[str]:
    """Returns the scenarios that are not served."""
    return [scenario for scenario, names in broken.items() if names]
