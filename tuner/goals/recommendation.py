# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rules that recommend one profile among those that keep the constraints. A new rule is a class here and a line at the end.

Several objectives pull apart: what helps the victim most may treat the contributors worst. A Pareto front does not tell an
administrator what to install, so a campaign has a rule, and its report states it.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from tuner.goals.aggregations import WORST
from tuner.goals.objectives import Objective
from tuner.goals.pareto import front
from tuner.registry import Registry

VICTIM_TOLERANCE = 0.01


@dataclass(frozen=True, kw_only=True)
class Candidate:
    """Figures that rules compare. A metric is None where the workload has no flows for it, and then decides nothing."""

    number: int
    feasible: bool
    victim_throughput_gbps: float | None
    treatment_variation_gbps2: float | None
    spread_gbps: float | None
    values: Mapping[str, float] = field(default_factory=dict)
    """Value of each of the campaign's objectives."""

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

    def prefers(self, one: Candidate, other: Candidate, objectives: Sequence[Objective]) -> bool:
        """True if the rule ranks one profile above another, whatever the constraints say; of equals it prefers `other`."""
        both = (replace(other, number=0, feasible=True), replace(one, number=1, feasible=True))
        pick = self.pick(both, objectives)
        return pick is not None and pick.number == 1

    def behind(self, so_far: Mapping[str, float], other: Mapping[str, float], objectives: Sequence[Objective]) -> str:
        """Returns the name of the objective by which a profile is surely ranked below another, whatever it does in workloads that
        were not measured yet and whatever else is compared with the two; empty as long as it may be ranked above.

        `so_far`: its values over some of the workloads; `other`: the other's over all of them.
        """
        return ""

    @abstractmethod
    def _choose(self, feasible: Sequence[Candidate], objectives: Sequence[Objective]) -> Candidate:
        """One of at least one, which come in the order of their numbers."""


class Pinned(Rule):
    """For workloads with victims: victims first, then the contributors' treatment.

    Among the profiles that keep every constraint, those whose victims get within 1 % of the best victim throughput; of these the
    one with the least treatment variation; then the least spread (a constant unfairness has no variation); then the oldest trial.
    """

    name = "pinned"
    statement = (
        "feasible; victim throughput within 1 % of the best feasible one; then the least treatment variation; "
        "then the least spread; then the lowest trial number"
    )

    def _choose(self, feasible: Sequence[Candidate], objectives: Sequence[Objective]) -> Candidate:
        best = max(_or_zero(candidate.victim_throughput_gbps) for candidate in feasible)
        near_best = [c for c in feasible if _or_zero(c.victim_throughput_gbps) >= (1 - VICTIM_TOLERANCE) * best]
        return min(near_best, key=lambda c: (_or_zero(c.treatment_variation_gbps2), _or_zero(c.spread_gbps), c.number))


def _or_zero(metric: float | None) -> float:
    return 0.0 if metric is None else metric


class Knee(Rule):
    """For workloads without victims: the knee of the Pareto front, where a little more of one objective begins to cost much of
    another.

    Each objective is normalized over the front: 0 is the best value on it, 1 the worst. The chord joins the ends of the front;
    with several objectives it is the plane on which the normalized values sum to 1. The knee is the point that lies farthest
    from it, on the side of the ideal point 0, 0, …: the one with the least sum. So the units of the objectives do not matter,
    but the ends of the front do. With one objective this is the best value.

    Source: Das, On characterizing the "knee" of the Pareto curve based on normal-boundary intersection, Structural
    Optimization 18, 1999; with more than two objectives its plane goes through the ends of the front, which this one only
    approximates.
    """

    name = "knee"
    statement = (
        "feasible; the point of the Pareto front that lies farthest from the chord between the front's ends, every objective "
        "normalized over the front; of equally far ones that with the best first objective; then the lowest trial number"
    )

    def prefers(self, one: Candidate, other: Candidate, objectives: Sequence[Objective]) -> bool:
        """Two points are the ends of their front, and there is no knee between them: the better one gains a larger part of the
        other's values than it gives up."""
        pairs = zip(one.losses(objectives), other.losses(objectives), strict=True)
        return sum((loss - before) / abs(before) if before else loss for loss, before in pairs) < 0

    def _choose(self, feasible: Sequence[Candidate], objectives: Sequence[Objective]) -> Candidate:
        losses = [candidate.losses(objectives) for candidate in feasible]
        ends = [(min(axis), max(axis)) for axis in zip(*(losses[i] for i in front(losses)), strict=True)]

        def nearness(index: int) -> tuple[float, tuple[float, ...], int]:
            normalized = [
                (loss - best) / (worst - best) if worst > best else 0.0
                for loss, (best, worst) in zip(losses[index], ends, strict=True)
            ]
            return round(sum(normalized), 12), losses[index], index  # rounded: sums that differ by their order only are equal

        return feasible[min(front(losses), key=nearness)]


class InOrder(Rule):
    """For campaigns that name the parts of a regret: the first objective decides, then the second, and so on.

    Among the profiles that keep every constraint, those within 1 % of the best value of the first objective; of these, those
    within 1 % of the best value of the second that is left, and so on; of these the one that is best in the last; then the
    oldest trial.
    """

    name = "in-order"
    statement = (
        "feasible; within 1 % of the best in the first objective; of these within 1 % of the best in the second, and so on; then "
        "the best in the last; then the lowest trial number"
    )

    def _choose(self, feasible: Sequence[Candidate], objectives: Sequence[Objective]) -> Candidate:
        left = list(feasible)
        for objective in objectives[:-1]:
            losses = {candidate.number: objective.sign * candidate.values[objective.name] for candidate in left}
            best = min(losses.values())
            left = [candidate for candidate in left if losses[candidate.number] <= best + VICTIM_TOLERANCE * abs(best)]
        return min(left, key=lambda candidate: (candidate.losses(objectives[-1:]), candidate.number))

    def behind(self, so_far: Mapping[str, float], other: Mapping[str, float], objectives: Sequence[Objective]) -> str:
        """Worst cases only get worse with further workloads. Where the profile is no better than the other in the objectives so
        far, the other one is left wherever it is; then a difference beyond the tolerance decides."""
        for objective in objectives:
            if objective.over is not WORST:
                return ""
            own, best = (objective.sign * values[objective.name] for values in (so_far, other))
            tolerance = 0.0 if objective is objectives[-1] else VICTIM_TOLERANCE * abs(best)
            if own > best + tolerance:
                return objective.name
            if own < best:
                return ""
        return ""


PINNED = Pinned()
KNEE = Knee()
IN_ORDER = InOrder()

RULES: Registry[Rule] = Registry("rule of recommendation")
RULES.add(PINNED.name, PINNED)
RULES.add(KNEE.name, KNEE)
RULES.add(IN_ORDER.name, IN_ORDER)
