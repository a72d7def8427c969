# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Selects the trials of a search that are confirmed: its Pareto front, thinned if it has more points than there is time for.

The order: the rule's pick; then the trial with the best value of each objective; then, one after the other, the point of the
front that adds most to the hypervolume of those chosen already (greedy subset selection), which spreads them along the front.
Fewer are chosen where the front has fewer.
"""

from collections.abc import Sequence

from tuner.goals.objectives import Objective
from tuner.goals.pareto import Point, front, hypervolume
from tuner.goals.recommendation import Candidate, Rule


def shortlist(
    candidates: Sequence[Candidate], objectives: Sequence[Objective], rule: Rule, *, reference: Point, size: int
) -> list[Candidate]:
    """At most `size` feasible candidates. `reference`: the losses from which hypervolumes are counted."""
    pick = rule.pick(candidates, objectives)
    if pick is None:
        return []
    feasible = sorted((candidate for candidate in candidates if candidate.feasible), key=lambda candidate: candidate.number)
    losses = {candidate.number: candidate.losses(objectives) for candidate in feasible}
    points = [feasible[i] for i in front([losses[candidate.number] for candidate in feasible])]
    chosen = [pick]
    for axis in range(len(objectives)):
        best = min(points, key=lambda candidate: (losses[candidate.number][axis], losses[candidate.number], candidate.number))
        chosen += [best] if best not in chosen else []
    left = [candidate for candidate in points if candidate not in chosen]
    while left and len(chosen) < size:
        taken = [losses[candidate.number] for candidate in chosen]
        best = max(left, key=lambda candidate: (hypervolume([*taken, losses[candidate.number]], reference), -candidate.number))
        chosen.append(best)
        left.remove(best)
    return chosen[:size]
