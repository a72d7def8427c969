# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The hypervolume over the trials, kept up trial by trial."""

from collections.abc import Iterable, Mapping, Sequence

from tuner.campaign.record import TrialRecord
from tuner.goals.objectives import Objective
from tuner.goals.pareto import Point, dominates, hypervolume


def unit_of_hypervolume(units: Iterable[str]) -> str:
    """Returns the product of the objectives' units, `Gb/s · Gb²/s²`; empty if none has one."""
    return " · ".join(unit for unit in units if unit != "1")


class Hypervolumes:
    """`history[i]` is what the feasible ones among the first i + 1 trials dominate, up to the reference point.

    `reference`: by objective a value that is worse than any worth having. Only the front is kept, and a volume is computed only
    when the front changes.
    """

    def __init__(
        self, objectives: Sequence[Objective], reference: Mapping[str, float], records: Iterable[TrialRecord] = ()
    ) -> None:
        self._objectives = objectives
        self._reference = self._losses(reference)
        self._front: list[Point] = []
        self.history: list[float] = []
        for record in records:
            self.add(record)

    def add(self, record: TrialRecord) -> None:
        volume = self.history[-1] if self.history else 0.0
        if record.feasible:
            point = self._losses(record.values)
            if not any(other == point or dominates(other, point) for other in self._front):
                self._front = [other for other in self._front if not dominates(point, other)] + [point]
                volume = hypervolume(self._front, self._reference)
        self.history.append(volume)

    def _losses(self, values: Mapping[str, float]) -> Point:
        return tuple(objective.sign * values[objective.name] for objective in self._objectives)
