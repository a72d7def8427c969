# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Progress of a twin: its steps, and the time that is left by what the steps took so far."""

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

STEPS: Mapping[str, tuple[float, float]] = {
    "comparing routings": (0.3, 0.004),
    "trying the line on OpenSM": (1.5, 0.012),
    "placing hotspots": (0.2, 0.004),
    "suggesting a profile": (0.3, 0.001),
    "simulating without congestion control": (3.0, 0.015),
    "simulating with the suggestion": (3.0, 0.015),
    "drawing the report": (2.0, 0.004),
}
"""Seconds of each step on one core: of any fabric, and more for each host. They only divide the time; what steps really take
corrects them."""


@dataclass(frozen=True)
class Told:
    """`number`: of the step, from 1; `fraction`: of all steps, 0 to 1; `left_s`: seconds that are left, by what steps took."""

    step: str
    number: int
    steps: int
    fraction: float
    left_s: float


OnProgress: TypeAlias = Callable[[Told], None]


class Progress:
    """Tells somebody who may raise, to end the work."""

    def __init__(self, hosts: int, tell: OnProgress) -> None:
        self._expected = {step: any_s + host_s * hosts for step, (any_s, host_s) in STEPS.items()}
        self._tell = tell
        self._began_s = time.monotonic()
        self._step = next(iter(STEPS))
        self._before = 0.0
        self._reached = 0.0

    def begin(self, step: str) -> None:
        """Begins a step; those that were left out count as done."""
        names = list(STEPS)
        self._step = step
        self._before = sum(self._expected[name] for name in names[: names.index(step)])
        self.within(0.0)

    def within(self, fraction: float) -> None:
        """Tells how much of the step is done."""
        done = self._before + fraction * self._expected[self._step]
        total = sum(self._expected.values())
        took_s = time.monotonic() - self._began_s
        pace = took_s / done if done > 1.0 else 1.0
        names = list(STEPS)
        self._reached = max(self._reached, done / total)
        self._tell(Told(self._step, names.index(self._step) + 1, len(names), self._reached, max(0.0, pace * (total - done))))
