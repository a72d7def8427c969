# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measures the best profiles of a search in scenarios with fresh seeds, and recommends the one that serves the most.

1. The trials are ranked by how many of the scenarios they fail to serve, and then by the campaign's rule over all of them: of
   two that serve equally many the one that leaves victims more where it fails is better.
2. The first ones run in all scenarios under the first fresh seed, and are ranked again. Those after the first of them run where
   one of them failed in the search before they run in the others, and are set aside if they are surely ranked below the first.
3. The first of these runs under all fresh seeds. If it serves fewer scenarios then, the next one does, and so on; then those
   that were set aside.
4. For each model of the devices the trial that is ranked first in its scenarios is measured as well. The best there is that
   one, or what was measured with fresh seeds and is better.
5. Where what serves the most scenarios misses some of them by far, trials that miss none by far are looked at, those that the
   race ended among them. The one whose worst scenario is the best takes its place, if it misses no more scenarios than the other
   when those that are missed by far count twice. Whichever of the two is not recommended stands beside it.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.campaign.evaluation import Evaluation, Plan, objective_values
from tuner.campaign.record import TrialRecord
from tuner.campaign.scenarios.findings import Price, Row
from tuner.campaign.scenarios.race import Goals
from tuner.campaign.scenarios.scenario import Scenario
from tuner.campaign.scenarios.served import FAR, Judge
from tuner.campaign.setup import Setup
from tuner.goals.recommendation import Candidate
from tuner.measuring.configuration import Configuration


@dataclass(frozen=True, kw_only=True)
class Measured:
    """A configuration in scenarios."""

    origin: str
    trial: int | None
    configuration: Configuration
    evaluation: Evaluation
    broken: Mapping[str, tuple[str, ...]]


class ScenarioConfirmation:
    """Confirmation of one campaign's search."""

    def __init__(
        self,
        setup: Setup,
        judge: Judge,
        records: Sequence[TrialRecord],
        configurations: Mapping[int, Configuration],
        measure: Callable[[Configuration, Plan], Evaluation],
    ) -> None:
        """`configurations`: by the number of the trial; `measure`: measures a plan, unless the store has it."""
        self._setup = setup
        self._judge = judge
        self._configurations = configurations
        self._measure = measure
        self._goals = Goals(rule=setup.rule, objectives=setup.objectives)
        self._plan = setup.in_scenarios(setup.campaign.confirmation.seeds)
        self.required = required_of(setup)
        self._trials = [
            self._measured(self._origin(record), record.number, configurations[record.number], record.evaluation)
            for record in records
            if record.evaluation is not None and record.state in ("complete", "stopped")
        ]
        self._fresh: dict[str, Evaluation] = {}
        """By digest what was measured with the first fresh seed, maybe in some scenarios only."""
        self._others: dict[str, Evaluation] = {}
        """By digest what was measured with the other fresh seeds."""
        self._most: Measured | None = None
        """What serves the most scenarios."""

    def recommend(self) -> Measured | None:
        """Returns what serves the most scenarios, or what gives up some of them to miss none by far, under all fresh seeds; None
        if nothing serves any."""
        person = self._setup.campaign.recommend.trial
        if person is not None:
            chosen = [one for one in self._trials if one.trial == person]
            return None if not chosen else self.in_full(chosen[0])
        shortlist = self._shortlist(self._trials, self.required)
        looked_at, aside = self._first_look(shortlist)
        best = self._best_of(looked_at)
        if looked_at and (best is None or self.count(best) > self.count(looked_at[0])):
            best = self._best_of([*looked_at, *(self._with_first_seed(one) for one in aside)])
        self._most = best
        return None if best is None else self._spared(best)

    def _spared(self, best: Measured) -> Measured:
        """Returns what takes the place of the profile that serves the most scenarios, or that profile."""
        most = self.count(best) + len(self.missed_by_far(best))
        within = [gentle for gentle in self._gentle(best) if self.count(gentle) <= most]
        found = self.least_missed([self.in_full(gentle) for gentle in within[:1]])
        return best if found is None or self.count(found) > most else found

    def _best_of(self, some: Sequence[Measured]) -> Measured | None:
        """Returns what serves the most scenarios under all fresh seeds; None if nothing serves any. `some`: measured with the
        first of these seeds."""
        best: Measured | None = None
        for first in self.ranked(some, self.required):
            if best is not None and self.count(first) >= self.count(best):
                break
            whole = self.in_full(first)
            if best is None or self.count(whole) < self.count(best):
                best = whole
        return None if best is None or self.count(best) == len(self.required) else best

    def _first_look(self, shortlist: Sequence[Measured]) -> tuple[list[Measured], list[Measured]]:
        """Returns those that may be the best with the first fresh seed, the first one in any case, and those that are surely
        ranked below that one: they matter only if it serves fewer scenarios with further seeds."""
        found, aside = [self._with_first_seed(one) for one in shortlist[:1]], []
        decisive = [name for name in self.required if any(one.broken.get(name) for one in shortlist)]
        for candidate in shortlist[1:]:
            if decisive and self._is_behind(self.where(candidate, decisive), found[0]):
                aside.append(candidate)
            else:
                found.append(self._with_first_seed(candidate))
        return found, aside

    def _is_behind(self, here: Measured, best: Measured) -> bool:
        """A profile that was measured in some scenarios is surely ranked below one that was measured in all."""
        count, least = sum(bool(names) for names in here.broken.values()), self.count(best)
        if count != least:
            return count > least
        values = objective_values(best.evaluation.part(workloads=self.required), self._setup.objectives)
        return bool(self._goals.behind(here.evaluation, [values]))

    def know(self, configuration: Configuration, evaluation: Evaluation) -> None:
        """Takes in what was measured in all scenarios with the first fresh seed."""
        self._fresh[configuration.digest] = evaluation

    def new(self, origin: str, trial: int | None, configuration: Configuration) -> Measured:
        """Returns a profile that was measured nowhere yet."""
        nothing = Evaluation(runs=(), duration_s=0.0, packet_hops=0)
        return Measured(origin=origin, trial=trial, configuration=configuration, evaluation=nothing, broken={})

    def worst_violation(self, one: Measured, names: Sequence[str]) -> float:
        """Returns by how much a constraint is broken where it is broken most, in those of the named scenarios that were measured;
        0 or less where all are kept."""
        by_scenario = self._judge.violations(one.evaluation.part(workloads=names))
        return max((violation for found in by_scenario.values() for violation in found.values()), default=0.0)

    def where(self, one: Measured, names: Sequence[str]) -> Measured:
        """Measures a profile in the named scenarios with the first fresh seed."""
        evaluation = self._first_seed_in(one.configuration, names)
        return self._measured(one.origin, one.trial, one.configuration, evaluation)

    def best_by_model(self) -> dict[str, Measured]:
        """Returns the best for each model of the devices, with the first fresh seed; those that serve one of its scenarios. It is
        the first of the search there, if nothing that was measured with this seed is better: what is recommended, say."""
        found: dict[str, Measured] = {}
        for model in dict.fromkeys(scenario.point.model for scenario in self._setup.scenarios):
            names = [scenario.name for scenario in self._setup.scenarios if scenario.point.model == model]
            tried = [one for one in self._trials if set(names) <= set(one.broken)]
            first = [self._with_first_seed(one) for one in self._shortlist(tried, names, most=1)]
            for best in self.ranked([*first, self.expert(), *self._measured_in(names)], names)[:1]:
                found[model] = self._with_first_seed(best)
        return found

    def _measured_in(self, names: Sequence[str]) -> list[Measured]:
        """Returns the trials that were measured in these scenarios with the first fresh seed."""
        return [
            self._measured(tried.origin, tried.trial, tried.configuration, known)
            for tried in self._trials
            if (known := self._fresh.get(tried.configuration.digest)) is not None and set(names) <= set(known.workloads)
        ]

    def gentlest(self, recommended: Measured) -> Measured | None:
        """Returns the profile whose worst scenario is the best, with the first fresh seed, where the recommendation misses a
        scenario by far, and that profile none; else None."""
        return next(iter(self._gentle(recommended)), None)

    def most(self, recommended: Measured) -> Measured | None:
        """Returns what serves more scenarios than the recommendation, and so misses some by far; None if nothing does."""
        return None if self._most is None or self.count(self._most) >= self.count(recommended) else self._most

    def missed_by_far(self, one: Measured) -> list[str]:
        """Returns the scenarios that the recommendation is to serve and this profile misses by far."""
        return [name for name in self.required if self.worst_violation(one, [name]) > FAR]

    def _gentle(self, best: Measured) -> list[Measured]:
        """Returns profiles that miss no scenario by far with the first fresh seed, in the order of their worst scenarios; none if
        `best` misses none by far either."""
        if not self.missed_by_far(best):
            return []
        unlike: dict[str, Measured] = {}
        for tried in self._trials:
            unlike.setdefault(tried.configuration.digest, tried)
        # What the race ended had met the scenarios in which it most likely fails; what it loses in others is seen below.
        hopeful = [tried for tried in unlike.values() if self.worst_violation(tried, self.required) <= FAR]
        hopeful.sort(key=lambda tried: (-len(tried.broken), self.worst_violation(tried, self.required)))
        found = [self._with_first_seed(tried) for tried in hopeful[: self._setup.campaign.confirmation.front]]
        return self._missing_none_by_far(found)

    def least_missed(self, some: Iterable[Measured]) -> Measured | None:
        """Returns the one whose worst scenario is the best, of those that were measured in all scenarios, miss none by far and
        serve one at least; None if there is none."""
        return next(iter(self._missing_none_by_far(some)), None)

    def _missing_none_by_far(self, some: Iterable[Measured]) -> list[Measured]:
        whole = [tried for tried in some if {*self.required} <= {*tried.broken} and self.count(tried) < len(self.required)]
        kept = [tried for tried in whole if not self.missed_by_far(tried)]
        return sorted(kept, key=lambda tried: self.worst_violation(tried, self.required))

    def expert(self) -> Measured:
        return self._with_first_seed(
            Measured(
                origin=self._setup.expert.name,
                trial=None,
                configuration=Configuration(self._setup.expert),
                evaluation=self._judge.expert,
                broken={},
            )
        )

    def prices(self, hardest_first: Sequence[str]) -> tuple[Price, ...]:
        """Returns what the easiest scenario costs, then the two easiest, and so on: the trial that leaves contributors most in
        the worst of them, and of equals the first by the campaign's rule."""
        found = []
        easiest = [name for name in reversed(hardest_first) if name in self.required]
        for count in range(1, len(easiest) + 1):
            names = easiest[:count]
            serving = [one for one in self._trials if all(one.broken.get(name) == () for name in names)]
            left = [(one.trial, self.worst(one, names)) for one in self.ranked(serving, names)]
            trial, worst = max(left, key=lambda pair: pair[1].get("worst_contributors_share", 0.0), default=(None, {}))
            found.append(Price(scenarios=tuple(names), trial=trial, worst=worst))
        return tuple(found)

    def row(self, one: Measured) -> Row:
        return Row(
            origin=one.origin,
            trial=one.trial,
            configuration=one.configuration,
            evaluation=one.evaluation,
            broken=one.broken,
            worst=self.worst(one, [scenario.name for scenario in self._setup.scenarios]),
        )

    def ranked(self, some: Iterable[Measured], names: Sequence[str]) -> list[Measured]:
        """Returns them by how many of the named scenarios they do not serve, and then in the order of the campaign's rule over
        those of them that were measured. Those that serve none are left out."""
        by_count: dict[int, list[Measured]] = {}
        for measured in some:
            if self.count(measured, names) < len(names):
                by_count.setdefault(self.count(measured, names), []).append(measured)
        found = []
        for count in sorted(by_count):
            equals = by_count[count]
            candidates = [self._candidate(number, one, names) for number, one in enumerate(equals)]
            found += [equals[candidate.number] for candidate in self._setup.rule.order(candidates, self._setup.objectives)]
        return found

    def worst(self, one: Measured, names: Sequence[str]) -> dict[str, float]:
        """Returns each objective over those of the named scenarios that are served."""
        served = [name for name in names if one.broken.get(name) == ()]
        return objective_values(one.evaluation.part(workloads=served), self._setup.objectives) if served else {}

    def _candidate(self, number: int, one: Measured, names: Sequence[str]) -> Candidate:
        known = one.evaluation.part(workloads=[name for name in names if name in one.broken])
        metrics = known.metrics
        return Candidate(
            number=number,
            feasible=True,
            victim_throughput_gbps=metrics.victim_throughput_gbps,
            treatment_variation_gbps2=metrics.treatment_variation_gbps2,
            spread_gbps=metrics.spread_gbps,
            values=objective_values(known, self._setup.objectives),
        )

    def _origin(self, record: TrialRecord) -> str:
        """Returns what people call the trial: by its number, or the expert's name if it has the expert's settings."""
        own = self._configurations[record.number].digest == Configuration(self._setup.expert).digest
        return self._setup.expert.name if own else f"trial {record.number}"

    def count(self, one: Measured, names: Sequence[str] | None = None) -> int:
        """Returns how many scenarios are not served, or not known to be."""
        return sum(one.broken.get(name) != () for name in (self.required if names is None else names))

    def _shortlist(self, some: Iterable[Measured], names: Sequence[str], most: int | None = None) -> list[Measured]:
        """Returns the first of each setting, as many as the confirmation takes."""
        unlike: dict[str, Measured] = {}
        for one in self.ranked(some, names):
            unlike.setdefault(one.configuration.digest, one)
        return list(unlike.values())[: most or self._setup.campaign.confirmation.front]

    def _with_first_seed(self, one: Measured) -> Measured:
        return self.where(one, [workload.name for workload in self._plan.workloads])

    def _first_seed_in(self, configuration: Configuration, names: Sequence[str]) -> Evaluation:
        """Returns a profile's runs with the first fresh seed in the named scenarios at least; none of them is made twice."""
        known = self._fresh.get(configuration.digest)
        done = () if known is None else known.workloads
        missing = [workload for workload in self._plan.workloads if workload.name in names and workload.name not in done]
        if missing:
            plan = replace(self._plan, workloads=tuple(missing), seeds=self._plan.seeds[:1])
            measured = self._measure(configuration, plan)
            known = measured if known is None else Evaluation.joined([known, measured])
            order = [workload.name for workload in self._plan.workloads]
            known = replace(known, runs=tuple(sorted(known.runs, key=lambda run: order.index(run.workload))))
            self._fresh[configuration.digest] = known
        assert known is not None, "at least one scenario is named"
        return known

    def in_full(self, one: Measured) -> Measured:
        """Measures a profile in all scenarios with all fresh seeds."""
        first, digest = self._with_first_seed(one), one.configuration.digest
        rest = self._plan.seeds[1:]
        if not rest:
            return first
        if digest not in self._others:
            self._others[digest] = self._measure(one.configuration, replace(self._plan, seeds=rest))
        joined = Evaluation.joined([first.evaluation, self._others[digest]])
        return self._measured(one.origin, one.trial, one.configuration, joined)

    def _measured(self, origin: str, trial: int | None, configuration: Configuration, evaluation: Evaluation) -> Measured:
        return Measured(
            origin=origin, trial=trial, configuration=configuration, evaluation=evaluation, broken=self._judge.broken(evaluation)
        )


def required_of(setup: Setup) -> tuple[str, ...]:
    """Returns the scenarios that the recommendation is to serve."""
    return tuple(scenario.name for scenario in setup.scenarios if setup.campaign.recommend.robust or is_own(scenario))


def is_own(scenario: Scenario) -> bool:
    """The scenario has the campaign's own devices."""
    return not scenario.model
