# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""After the search: its front is measured again with fresh seeds, and only what was confirmed is recommended.

A search's front holds the good trials that were also lucky. The figures that decide, and those in the report, are therefore
the confirmation's: the shortlist, the baseline and the expert under the same fresh seeds. The rule picks among those that
keep every constraint there too, the expert's own settings among them if a trial has them. If none does, other trials are
tried in the order of the rule.

A campaign with variants goes on: the first of the front, in the order of the rule, that is nowhere worse than the expert is
recommended. If all others are, further trials are tried, as far as a forecast does not rule them out; then come the expert's own
settings, if a trial has them; and if there is nothing, the rule's pick for the campaign's own devices.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import TypeAlias

from tuner.campaign.pool import Outcome
from tuner.campaign.record import TrialRecord, candidates
from tuner.campaign.result import Confirmed, Tried, confirmed
from tuner.campaign.robustness import Robustness
from tuner.campaign.setup import Setup
from tuner.campaign.shortlist import shortlist
from tuner.campaign.variants import lost
from tuner.errors import BadInputError
from tuner.goals.recommendation import Candidate
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

    def run(self, measure: Measure, robustness: Robustness | None = None) -> Findings:
        """`robustness`: of a campaign whose recommendation is to hold in its variants. Raises what `measure` raises, and
        BadInputError if the trial that a person chose cannot be recommended."""
        chosen, further = self._chosen()
        found = self._measure(measure, chosen)
        for number in further:
            if any(tried.confirmed.feasible for tried in found.front):
                break
            chosen.append(number)
            found = self._measure(measure, chosen)
        if robustness is None or self._setup.campaign.recommend.trial is not None:
            return found
        found = self._robust(found, measure, chosen, robustness)
        refusals = robustness.refusals
        front = tuple(replace(tried, refusal=refusals.get(tried.confirmed.configuration.digest)) for tried in found.front)
        return replace(found, front=front)

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

    def _robust(self, found: Findings, measure: Measure, chosen: list[int], robustness: Robustness) -> Findings:
        """Returns the findings with the recommendation that is nowhere worse than the expert, if there is one."""
        expert: Tried | None = None
        for tried in self.ranked(found):
            if self._is_expert(tried.confirmed.configuration):
                expert = tried
                break
            if self._as_good(tried, found) and robustness.holds(tried.confirmed.configuration):
                return replace(found, recommended=tried)
        if expert is not None and expert.record.number == found.picked_by_rule:
            return found
        for number in self._promising(chosen, expert, robustness):
            chosen.append(number)
            found = self._measure(measure, chosen)
            tried = found.front[-1]
            if self._as_good(tried, found) and self._preferred(tried.confirmed.candidate(number), found.expert.candidate(-1)):
                return replace(found, recommended=tried)
        return found if expert is None else replace(found, recommended=expert)

    def _as_good(self, tried: Tried, found: Findings) -> bool:
        """The trial keeps the constraints, and is not worse than the expert under the campaign's own devices."""
        setup, here = self._setup, tried.confirmed
        return here.feasible and not lost(setup.objectives, setup.rule, here=here, expert=found.expert)

    def _preferred(self, one: Candidate, expert: Candidate) -> bool:
        return self._setup.rule.prefers(one, expert, self._setup.objectives)

    def _promising(self, chosen: Sequence[int], expert: Tried | None, robustness: Robustness) -> Iterator[int]:
        """Further trials that hold in every variant, in the order of the rule, as long as it prefers them to the expert. Looks at
        no more than the confirmation's `attempts`."""
        setup, known = self._setup, set(chosen)
        order = setup.rule.order(candidates(self._records.values()), setup.objectives)
        better = (
            contender.number
            for contender in order
            if contender.number not in known and (expert is None or self._preferred(contender, expert.record.candidate))
        )
        likely = (number for number in better if robustness.may_hold(self._configurations[number]))
        for number in islice(likely, setup.campaign.confirmation.attempts):
            if robustness.holds(self._configurations[number]):
                yield number

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
