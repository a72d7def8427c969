# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The rule for workloads with victims: victims first, then the contributors' treatment.

Among the profiles that keep every constraint, those whose victims get within 1 % of the best victim throughput; of these the one
with the least treatment variation; then the least spread (a constant unfairness has no variation); then the oldest trial.
"""

from collections.abc import Sequence

from tuner.goals.objectives.base import Objective
from tuner.goals.recommendation.base import RULES, Candidate, Rule

VICTIM_TOLERANCE = 0.01


class Pinned(Rule):
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


PINNED = Pinned()
RULES.add(PINNED.name, PINNED)
