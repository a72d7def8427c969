# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an objective is, and where the known ones are found."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from tuner.aggregations.base import Aggregation
from tuner.aggregations.mean import MEAN
from tuner.registry import Registry

Direction = Literal["maximise", "minimise"]


@dataclass(frozen=True, kw_only=True)
class Objective:
    """A number read from a measurement's metrics, and which way is better."""

    name: str
    metric: str
    """Key of the measurement's `metrics`."""
    unit: str
    direction: Direction
    meaning: str
    """How the number is defined, in one sentence for people."""
    source: str
    when_null: float | None = None
    """What stands for a metric that is null although the workload has the flows for it; None: null is an error."""
    over: Aggregation = MEAN
    """How the values under several workloads become one."""

    @property
    def sign(self) -> int:
        """1 if less is better, -1 if more is."""
        return 1 if self.direction == "minimise" else -1

    def aggregated(self, over: Aggregation) -> "Objective":
        """The same, with the workloads' values put together in another way, and a name that says so."""
        name = f"{over.name}_{self.name}" if over.name else self.name
        meaning = f"{self.meaning}; {over.meaning}" if over.name else self.meaning
        return replace(self, name=name, meaning=meaning, over=over)

    def combined(self, by_workload: Sequence[float]) -> float:
        """One value from those under each workload, in the objective's unit."""
        return self.sign * self.over.combine([self.sign * value for value in by_workload])


OBJECTIVES: Registry[Objective] = Registry("objective", "tuner.objectives")
