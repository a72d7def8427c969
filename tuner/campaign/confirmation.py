# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""After the search: its front is measured again with fresh seeds, and only what was confirmed is recommended.

A search's front holds the good trials that were also lucky. The figures that decide, and those in the report, are therefore
the confirmation's: the shortlist, the baseline and the expert under the same fresh seeds. The rule picks among those that
keep every constraint there too, the expert's own settings among them if a trial has them. If none does, other trials are
tried in the order of the rule.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from ccsim.policy import Profile
from tuner.campaign.evaluation import Plan
from tuner.campaign.record import TrialRecord, candidates
from tuner.campaign.references import References, digest
from tuner.campaign.result import Confirmed, Tried, confirmed
from tuner.campaign.setup import Setup
from tuner.campaign.shortlist import shortlist
from tuner.errors import BadInputError


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

    def __init__(self, setup: Setup, records: Sequence[TrialRecord], profiles: Mapping[int, Profile]) -> None:
        """`profiles`: by the number of the trial."""
        self._setup = setup
        self._records = {record.number: record for record in records}
        self._profiles = profiles

    def run(self, references: References, plan: Plan, kind: str) -> Findings:
        """Measures what `references` does not have yet. Raises what that raises, and BadInputError if the trial that a person
        chose cannot be recommended."""
        chosen, further = self._chosen()
        found = self._measure(references, plan, kind, chosen)
        for number in further:
            if any(tried.confirmed.feasible for tried in found.front):
                break
            chosen.append(number)
            found = self._measure(references, plan, kind, chosen)
        return found

    def _chosen(self) -> tuple[list[int], Iterator[int]]:
        """The numbers of the trials to confirm, and of those to go on with if none of them keeps the constraints."""
        setup, confirmation = self._setup, self._setup.campaign.confirmation
        feasible = candidates(self._records.values())
        reference = tuple(objective.sign * setup.campaign.hypervolume_reference[objective.name] for objective in setup.objectives)
        front = shortlist(feasible, setup.objectives, setup.rule, reference=reference, size=confirmation.front)
        numbers = [candidate.number for candidate in front]
        # A trial with the expert's settings is confirmed too, as the expert is measured anyway: so the rule never recommends a
        # profile that it ranks below the expert.
        expert = digest(setup.expert)
        own = [one.number for one in feasible if one.feasible and digest(self._profiles[one.number]) == expert]
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

    def _measure(self, references: References, plan: Plan, kind: str, numbers: Sequence[int]) -> Findings:
        setup = self._setup
        profiles = [setup.baseline, setup.expert, *(self._profiles[number] for number in numbers)]
        outcomes = references.measure(profiles, plan, kind)
        (baseline, _), (expert, _) = outcomes[:2]
        measured = [
            confirmed(setup, profile, outcome, baseline=baseline, expert=expert)
            for profile, outcome in zip(profiles, outcomes, strict=True)
        ]
        front = tuple(
            Tried(record=self._records[number], confirmed=one) for number, one in zip(numbers, measured[2:], strict=True)
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
