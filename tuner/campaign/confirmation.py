# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""After the search: its front is measured again with fresh seeds, and only what was confirmed is recommended.

A search's front holds the good trials that were also lucky. The figures that decide, and those in the report, are therefore
the confirmation's: the shortlist, the baseline and the expert under the same fresh seeds. The rule picks among those that
keep every constraint there too, the expert's own settings among them if a trial has them. If none does, other trials are
tried in the order of the rule.

A campaign with variants goes on with scenarios/after_search.py: what serves the most of them is recommended.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from tuner.campaign.pool import Outcome
from tuner.campaign.record import TrialRecord, candidates
from tuner.campaign.result import Confirmed, Tried, confirmed
from tuner.campaign.scenarios.after_search import AfterSearch
from tuner.campaign.setup import Setup
from tuner.campaign.shortlist import shortlist
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration

Measure: TypeAlias = Callable[[Sequence[Configuration]], Sequence[Outcome]]
"""Measures configurations under the plan of the confirmation; what it has measured before it does not measure again."""


@dataclass(frozen=True, kw_only=True)
class Findings:
    """Findings of the confirmation."""

    baseline: Confirmed
    expert: Confirmed
    front: tuple[Tried, ...]
    recommended: Tried | None
    picked_by_rule: int | None


class Confirmation:
    """Confirmation of one campaign's search."""

    def __init__(self, setup: Setup, records: Sequence[TrialRecord], configurations: Mapping[int, Configuration]) -> None:
        """`configurations`: by the number of the trial."""
        self._setup = setup
        self._records = {record.number: record for record in records}
        self._configurations = configurations

    def run(self, measure: Measure) -> Findings:
        """Raises what `measure` raises, and BadInputError if the trial that a person chose cannot be recommended."""
        chosen, further = self._chosen()
        found = self._measure(measure, chosen)
        for number in further:
            if any(tried.confirmed.feasible for tried in found.front):
                break
            chosen.append(number)
            found = self._measure(measure, chosen)
        return found

    def in_scenarios(self, found: Findings, measure: Measure, after: AfterSearch) -> Findings:
        """Returns the findings with the recommendation that serves the most scenarios, and with further trials that were measured
        for it. Raises as `run` does."""
        numbers, latest = [tried.record.number for tried in found.front], [found]

        def confirm(number: int) -> Tried | None:
            latest.append(self._measure(measure, [*numbers, number]))
            tried = latest[-1].front[-1]
            if not tried.confirmed.feasible:
                latest.pop()
                return None
            numbers.append(number)
            return tried

        recommended = after.choose(self.ranked(found), self._further(found), confirm)
        return found if recommended is None else replace(latest[-1], recommended=recommended, picked_by_rule=found.picked_by_rule)

    def _further(self, found: Findings) -> Iterator[tuple[TrialRecord, Configuration]]:
        """Trials that were not confirmed, in the order of the rule, as long as it prefers them to the expert, if he is one."""
        known = {tried.record.number for tried in found.front}
        for candidate in self._setup.rule.order(candidates(self._records.values()), self._setup.objectives):
            configuration = self._configurations[candidate.number]
            if self._is_expert(configuration):
                return
            if candidate.number not in known:
                yield self._records[candidate.number], configuration

    @property
    def size(self) -> int:
        """Number of profiles that are measured at first: the references, and the trials with other settings than theirs."""
        own = {Configuration(self._setup.baseline).digest, Configuration(self._setup.expert).digest}
        return len(own | {self._configurations[number].digest for number in self._chosen()[0]})

    def ranked(self, found: Findings) -> list[Tried]:
        """Returns those of the front that keep the constraints, in the order of the rule."""
        front = {tried.record.number: tried for tried in found.front}
        order = self._setup.rule.order((one.confirmed.candidate(number) for number, one in front.items()), self._setup.objectives)
        return [front[candidate.number] for candidate in order]

    def _is_expert(self, configuration: Configuration) -> bool:
        return configuration.digest == Configuration(self._setup.expert).digest

    def _chosen(self) -> tuple[list[int], Iterator[int]]:
        """The numbers of the trials to confirm, and of those to go on with if none of them keeps the constraints."""
        setup, confirmation = self._setup, self._setup.campaign.confirmation
        feasible = candidates(self._records.values())
        reference = tuple(objective.sign * setup.campaign.hypervolume_reference[objective.name] for objective in setup.objectives)
        front = shortlist(feasible, setup.objectives, setup.rule, reference=reference, size=confirmation.front)
        numbers = [candidate.number for candidate in front]
        # A trial with the expert's settings is confirmed too, as the expert is measured anyway: so the rule never recommends a
        # profile that it ranks below the expert.
        own = [one.number for one in feasible if one.feasible and self._is_expert(self._configurations[one.number])]
        numbers += [number for number in own[:1] if number not in numbers]
        if setup.campaign.recommend.trial is not None:
            person = self._of_person(setup.campaign.recommend.trial)
            return [person, *(number for number in numbers if number != person)], iter(())
        others = (candidate.number for candidate in setup.rule.order(feasible, setup.objectives))
        return numbers, islice((number for number in others if number not in numbers), confirmation.attempts)

    def _of_person(self, number: int) -> int:
        record = self._records.get(number)
        if record is None:
            raise BadInputError(
                f"trial {number} cannot be recommended: the campaign has measured trials 0 to {max(self._records)}"
            )
        if not record.feasible:
            broken = [name for name, violation in record.violations.items() if violation > 0]
            why = record.reason or f"it breaks {' and '.join(broken)}"
            raise BadInputError(f"trial {number} cannot be recommended: {why}")
        return number

    def _measure(self, measure: Measure, numbers: Sequence[int]) -> Findings:
        setup = self._setup
        published = [Configuration(setup.baseline), Configuration(setup.expert)]
        configurations = [*published, *(self._configurations[number] for number in numbers)]
        outcomes = measure(configurations)
        (baseline, _), (expert, _) = outcomes[:2]
        measured = [
            confirmed(setup, configuration, outcome, baseline=baseline, expert=expert)
            for configuration, outcome in zip(configurations, outcomes, strict=True)
        ]
        front = tuple(
            Tried(record=self._records[number], confirmed=outcome) for number, outcome in zip(numbers, measured[2:], strict=True)
        )
        pick = setup.rule.pick((tried.confirmed.candidate(tried.record.number) for tried in front), setup.objectives)
        person = setup.campaign.recommend.trial
        wanted = person if person is not None else None if pick is None else pick.number
        return Findings(
            baseline=measured[0],
            expert=measured[1],
            front=front,
            recommended=next((t for t in front if t.record.number == wanted and t.confirmed.feasible), None),
            picked_by_rule=None if pick is None else pick.number,
        )
