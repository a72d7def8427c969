# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule for workloads without victims: the knee of the Pareto front, where a little more of one objective begins to cost much
of another.

Each objective is normalised over the front: 0 is the best value on it, 1 the worst. The chord joins the ends of the front; with
several objectives it is the plane on which the normalised values sum to 1. The knee is the point that lies farthest from it, on
the side of the ideal point 0, 0, …: the one with the least sum. So the units of the objectives do not matter, but the ends of the
front do. With one objective this is the best value.

Source: Das, On characterizing the "knee" of the Pareto curve based on normal-boundary intersection, Structural Optimization 18,
1999; with more than two objectives its plane goes through the ends of the front, which this one only approximates.
"""

from collections.abc import Sequence

from tuner.goals.objectives.base import Objective
from tuner.goals.pareto import front
from tuner.goals.recommendation.base import RULES, Candidate, Rule


class Knee(Rule):
    name = "knee"
    statement = (
        "feasible; the point of the Pareto front that lies farthest from the chord between the front's ends, every objective "
        "normalised over the front; of equally far ones that with the best first objective; then the lowest trial number"
    )

    def _choose(self, feasible: Sequence[Candidate], objectives: Sequence[Objective]) -> Candidate:
        losses = [candidate.losses(objectives) for candidate in feasible]
        ends = [(min(axis), max(axis)) for axis in zip(*(losses[i] for i in front(losses)), strict=True)]

        def nearness(index: int) -> tuple[float, tuple[float, ...], int]:
            normalised = [
                (loss - best) / (worst - best) if worst > best else 0.0
                for loss, (best, worst) in zip(losses[index], ends, strict=True)
            ]
            return round(sum(normalised), 12), losses[index], index  # rounded: sums that differ by their order only are equal

        return feasible[min(front(losses), key=nearness)]


KNEE = Knee()
RULES.add(KNEE.name, KNEE)
