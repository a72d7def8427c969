# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a rule of recommendation is, and where the known ones are found.

Several objectives pull apart: what helps the victim most may treat the contributors worst. A Pareto front does not tell an
administrator what to install, so a campaign has a rule that is stated in its report.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from tuner.goals.objectives.base import Objective
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """What rules look at. A metric is None where the workload has no flows for it, and then decides nothing."""

    number: int
    feasible: bool
    victim_throughput_gbps: float | None
    treatment_variation_gbps2: float | None
    spread_gbps: float | None
    values: Mapping[str, float] = field(default_factory=dict)
    """By objective of the campaign."""

    def losses(self, objectives: Sequence[Objective]) -> tuple[float, ...]:
        """The values so that less is better in each."""
        return tuple(objective.sign * self.values[objective.name] for objective in objectives)


class Rule(ABC):
    """Chooses one candidate. The order in which they are given makes no difference."""

    name: str
    statement: str
    """The whole rule in words, for the report."""

    def pick(self, candidates: Iterable[Candidate], objectives: Sequence[Objective] = ()) -> Candidate | None:
        """The recommended candidate, or None if none is feasible. `objectives`: the campaign's, in its order."""
        feasible = sorted((candidate for candidate in candidates if candidate.feasible), key=lambda candidate: candidate.number)
        return self._choose(feasible, objectives) if feasible else None

    def order(self, candidates: Iterable[Candidate], objectives: Sequence[Objective] = ()) -> Iterator[Candidate]:
        """All feasible ones: the pick, then what would be picked without it, and so on."""
        left = [candidate for candidate in candidates if candidate.feasible]
        while (choice := self.pick(left, objectives)) is not None:
            yield choice
            left.remove(choice)

    @abstractmethod
    def _choose(self, feasible: Sequence[Candidate], objectives: Sequence[Objective]) -> Candidate:
        """One of at least one, which come in the order of their numbers."""


RULES: Registry[Rule] = Registry("rule of recommendation", "tuner.goals.recommendation")
