# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures each profile first where it most likely fails, and no longer than it may still be the best.

The profile of a trial runs in one scenario after the other. A forecast by balance and room comes first, then how many of the
profiles so far failed in a scenario. The trial ends as soon as the profile fails in more scenarios than the best profile so far:
the recommendation goes to what serves the most scenarios. Where that loses somebody by far, the confirmation looks at trials that
ended so, too. It also ends once it fails in as many, and the campaign's rule surely
ranks it below one that serves equally many: a worst case only gets worse with further scenarios. A scenario counts as failed
after its first seed where a constraint is missed by more than SURE, and after all seeds where it is missed at all.

The sampler is told of a trial which part of the scenarios it does not serve, as a constraint of its own beside the largest
violation of each constraint. A scenario that was not measured counts by how many of the profiles so far failed there.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.campaign.evaluation import Evaluation, Plan, objective_values
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.scenarios.served import Judge, lost
from tuner.errors import BadInputError
from tuner.goals.objectives import Objective
from tuner.goals.recommendation import Rule
from tuner.measuring.configuration import Configuration

UNSERVED = "scenarios"
"""Name of the constraint that the sampler sees: the part of the scenarios that a profile does not serve."""
SURE = 0.1
"""Violation from which on one seed decides."""


@dataclass(frozen=True, kw_only=True)
class Goals:
    """What a campaign ranks profiles by that serve equally many scenarios."""

    rule: Rule
    objectives: Sequence[Objective]

    def behind(self, so_far: Evaluation, others: Iterable[Mapping[str, float]]) -> str:
        """Returns by which objective a profile is surely ranked below one of the others; empty if it may be ranked above all.
        Raises BadInputError if an objective has no value."""
        values = objective_values(so_far, self.objectives)
        return next((name for other in others if (name := self.rule.behind(values, other, self.objectives))), "")


@dataclass(frozen=True, kw_only=True)
class RaceGuard:
    """The guard of one trial's plan."""

    judge: Judge
    goals: Goals
    most_lost: int
    """Scenarios that the best profile so far does not serve."""
    best: Sequence[Mapping[str, float]] = ()
    """Values of the objectives of all profiles that serve as many as the best one, each over all scenarios."""

    def broken(self, so_far: Evaluation, plan: Plan) -> str:
        """As Guard.broken."""
        failed, whole = [], []
        for scenario, by_constraint in self.judge.violations(so_far).items():
            worst = max(by_constraint.values(), default=0.0)
            if len(so_far.part(workloads=[scenario]).runs) == len(plan.seeds):
                whole.append(scenario)
            if worst > (0.0 if scenario in whole else SURE):
                failed.append(scenario)
        after = f"stopped early after {len(so_far.runs)} of {plan.size} runs: it fails in "
        if len(failed) > self.most_lost:
            others = f" and {len(failed) - 1} more" if len(failed) > 1 else ""
            best = "every one" if self.most_lost == 0 else f"all but {self.most_lost}"
            return f"{after}scenario '{failed[-1]}'{others}, and another profile serves {best}"
        if not whole or len(failed) < self.most_lost:
            return ""
        try:
            behind = self.goals.behind(so_far.part(workloads=whole), self.best)
        except BadInputError:
            return ""
        return f"{after}{len(failed)} of the scenarios, as another profile does, and is worse in {behind}" if behind else ""


class Race:
    """Knows what was measured in a campaign's scenarios so far."""

    def __init__(self, plan: Plan, judge: Judge, goals: Goals, forecast: Forecast, known: Iterable[Evaluation]) -> None:
        """`plan`: of a profile that is measured in all scenarios that it is to serve; `known`: what was measured before."""
        self._plan = plan
        self._judge = judge
        self._goals = goals
        self._forecast = forecast
        self._names = [workload.name for workload in plan.workloads]
        self._tried = dict.fromkeys(self._names, 0)
        self._failed = dict.fromkeys(self._names, 0)
        self.most_lost = len(self._names)
        """Scenarios that the best profile so far does not serve."""
        self._best: list[Mapping[str, float]] = []
        for evaluation in known:
            self.saw(evaluation)

    def saw(self, evaluation: Evaluation) -> None:
        """Takes in what a profile did."""
        broken = self._judge.broken(evaluation)
        for scenario, names in broken.items():
            self._tried[scenario] += 1
            self._failed[scenario] += bool(names)
        if len(broken) == len(self._names):
            self._saw_all(evaluation, len(lost(broken)))

    def plan(self, configuration: Configuration) -> Plan:
        """Returns the plan of a profile: where it most likely fails comes first."""
        names = self.hardest_first(configuration)
        by_name = {workload.name: workload for workload in self._plan.workloads}
        guard = RaceGuard(judge=self._judge, goals=self._goals, most_lost=self.most_lost, best=tuple(self._best))
        return replace(self._plan, workloads=tuple(by_name[name] for name in names), guard=guard)

    def hardest_first(self, configuration: Configuration | None = None) -> list[str]:
        """Returns the scenarios in the order in which a profile is measured; without one, by how many profiles failed there."""

        def chance(name: str) -> float:
            said = 0.0 if configuration is None else self._forecast.risk(configuration.profile, name)
            return said + self._failing(name)

        return sorted(self._names, key=lambda name: (-chance(name), self._names.index(name)))

    def unserved(self, evaluation: Evaluation) -> float:
        """Returns the part of the scenarios that a profile does not serve, from 0 to 1; where it was not measured, by the chance
        that a profile fails there."""
        broken = self._judge.broken(evaluation)
        unknown = [name for name in self._names if name not in broken]
        return (len(lost(broken)) + sum(self._failing(name) for name in unknown)) / len(self._names)

    def _failing(self, scenario: str) -> float:
        """Returns the chance that a profile fails in a scenario, above 0 and below 1 (Laplace's rule of succession)."""
        return (self._failed[scenario] + 1) / (self._tried[scenario] + 2)

    def _saw_all(self, evaluation: Evaluation, count: int) -> None:
        """`count`: scenarios that the profile, which was measured in all of them, does not serve."""
        try:
            values = objective_values(evaluation, self._goals.objectives)
        except BadInputError:
            return  # The trial fails for this.
        if count < self.most_lost:
            self._best.clear()
        self.most_lost = min(self.most_lost, count)
        if count == self.most_lost:
            self._best.append(values)
