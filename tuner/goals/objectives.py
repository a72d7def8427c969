# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Objectives that a campaign improves. Every metric is an objective: a new one is a row of metrics.py."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from tuner.goals.aggregations import MEAN, Aggregation
from tuner.goals.metrics import METRICS, Direction, Metric
from tuner.registry import Registry


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A number read from a measurement's metrics, and which way is better."""

    name: str
    metric: str
    """Key of the measurement's `metrics`."""
    unit: str
    direction: Direction
    meaning: str
    """Definition of the number, in one sentence for people."""
    source: str
    when_null: float | None = None
    """Stands for a metric that is null although the workload has the flows for it; None: null is an error."""
    over: Aggregation = MEAN
    """Aggregation of the values under several workloads."""

    @property
    def sign(self) -> int:
        """1 if less is better, -1 if more is."""
        return 1 if self.direction == "minimize" else -1

    def aggregated(self, over: Aggregation) -> "Objective":
        """The same, with the workloads' values put together in another way, and a name that says so."""
        name = f"{over.name}_{self.name}" if over.name else self.name
        meaning = f"{self.meaning}; {over.meaning}" if over.name else self.meaning
        return replace(self, name=name, meaning=meaning, over=over)

    def combined(self, by_workload: Sequence[float]) -> float:
        """One value from those under each workload, in the objective's unit."""
        return self.sign * self.over.combine([self.sign * value for value in by_workload])


def _objective(metric: Metric) -> Objective:
    return Objective(
        name=metric.name,
        metric=metric.key,
        unit=metric.unit,
        direction=metric.direction,
        meaning=metric.meaning,
        source=metric.source,
        when_null=metric.when_null,
    )


OBJECTIVES: Registry[Objective] = Registry("objective")
for _metric in METRICS.values():
    OBJECTIVES.add(_metric.name, _objective(_metric))
