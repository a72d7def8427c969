# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures each profile first where it most likely fails, and no longer than it may still be the best.

The profile of a trial runs in one scenario after the other. A forecast by balance and room comes first, then how many of the
profiles so far failed in a scenario. The trial ends as soon as the profile fails in more scenarios than the best profile so far:
the recommendation goes to what serves the most scenarios. A scenario counts as failed after its first seed where a constraint is
missed by more than SURE, and after all seeds where it is missed at all.

The sampler is told of a trial which part of the scenarios it does not serve, as a constraint of its own beside the largest
violation of each constraint. Of scenarios that were not measured it counts as many as failed as of those that were.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

from tuner.campaign.evaluation import Evaluation, Plan
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.scenarios.served import Judge, lost
from tuner.measuring.configuration import Configuration

UNSERVED = "scenarios"
"""Name of the constraint that the sampler sees: the part of the scenarios that a profile does not serve."""
SURE = 0.1
"""Violation from which on one seed decides."""


@dataclass(frozen=True, kw_only=True)
class RaceGuard:
    """The guard of one trial's plan."""

    judge: Judge
    most_lost: int
    """Scenarios that the best profile so far does not serve."""

    def broken(self, so_far: Evaluation, plan: Plan) -> str:
        """As Guard.broken."""
        failed = []
        for scenario, by_constraint in self.judge.violations(so_far).items():
            worst = max(by_constraint.values(), default=0.0)
            whole = len(so_far.part(workloads=[scenario]).runs) == len(plan.seeds)
            if worst > (0.0 if whole else SURE):
                failed.append(scenario)
        if len(failed) <= self.most_lost:
            return ""
        others = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
        best = "every one" if self.most_lost == 0 else f"all but {self.most_lost}"
        return (
            f"stopped early after {len(so_far.runs)} of {plan.size} runs: it fails in scenario '{failed[-1]}'{others}, and "
            f"another profile serves {best}"
        )


class Race:
    """Knows what was measured in a campaign's scenarios so far."""

    def __init__(self, plan: Plan, judge: Judge, forecast: Forecast, known: Iterable[Evaluation]) -> None:
        """`plan`: of a profile that is measured in all scenarios that it is to serve; `known`: what was measured before."""
        self._plan = plan
        self._judge = judge
        self._forecast = forecast
        self._names = [workload.name for workload in plan.workloads]
        self._tried = dict.fromkeys(self._names, 0)
        self._failed = dict.fromkeys(self._names, 0)
        self.most_lost = len(self._names)
        """Scenarios that the best profile so far does not serve."""
        for evaluation in known:
            self.saw(evaluation)

    def saw(self, evaluation: Evaluation) -> None:
        """Takes in what a profile did."""
        broken = self._judge.broken(evaluation)
        for scenario, names in broken.items():
            self._tried[scenario] += 1
            self._failed[scenario] += bool(names)
        if len(broken) == len(self._names):
            self.most_lost = min(self.most_lost, len(lost(broken)))

    def plan(self, configuration: Configuration) -> Plan:
        """Returns the plan of a profile: where it most likely fails comes first."""
        names = self.hardest_first(configuration)
        by_name = {workload.name: workload for workload in self._plan.workloads}
        guard = RaceGuard(judge=self._judge, most_lost=self.most_lost)
        return replace(self._plan, workloads=tuple(by_name[name] for name in names), guard=guard)

    def hardest_first(self, configuration: Configuration | None = None) -> list[str]:
        """Returns the scenarios in the order in which a profile is measured; without one, by how many profiles failed there."""

        def chance(name: str) -> float:
            said = 0.0 if configuration is None else self._forecast.risk(configuration.profile, name)
            return said + (self._failed[name] + 1) / (self._tried[name] + 2)

        return sorted(self._names, key=lambda name: (-chance(name), self._names.index(name)))

    def unserved(self, evaluation: Evaluation) -> float:
        """Returns the part of the scenarios that a profile does not serve, from 0 to 1."""
        broken = self._judge.broken(evaluation)
        return len(lost(broken)) / len(broken)
