# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What an objective is, and where the known ones are found."""

from dataclasses import dataclass
from typing import Literal

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

    @property
    def sign(self) -> int:
        """1 if less is better, -1 if more is."""
        return 1 if self.direction == "minimise" else -1


OBJECTIVES: Registry[Objective] = Registry("objective", "tuner.objectives")
