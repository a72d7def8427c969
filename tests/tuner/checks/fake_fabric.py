# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric that a check measures at no cost, and that knows whether its profile was changed and by whom it is held."""

import random
from collections.abc import Callable
from typing import Any

import numpy as np

from ccsim.policy import Profile
from tuner.documents.workload import Workload
from tuner.measuring.backend import Capabilities
from tuner.measuring.measurement import Measurement, Performance, measure
from tuner.measuring.options import BackendOptions

BASE = "base"


class FakeFabric:
    """`factor`: of all rates; a fault makes it smaller. `next_factors`: those of the next measurements, or what they raise.
    `fails`: what each measurement raises instead of its result. `seeds`: of all measurements."""

    def __init__(self) -> None:
        self.factor = 1.0
        self.fails: BaseException | None = None
        self.next_factors: list[float | Exception] = []
        self.seeds: list[int] = []
        self.in_force, self.held, self.measurements = BASE, False, 0

    def create(self, name: str, options: BackendOptions) -> "_Backend":
        """Takes the place of create_backend."""
        return _Backend(self)


class _Backend:
    def __init__(self, fabric: FakeFabric) -> None:
        self._fabric = fabric

    def open(self) -> Capabilities:
        self._fabric.held = True
        return Capabilities(name="simulated", concurrent=False, deterministic=True)

    def apply(self, profile: Profile) -> str:
        self._fabric.in_force = profile.name
        return profile.name

    def measure(self, workload: Workload, *, seed: int, on_progress: Callable[[float], None], **more: Any) -> Measurement:
        self._fabric.measurements += 1
        if self._fabric.fails is not None:
            raise self._fabric.fails
        self._fabric.seeds.append(seed)
        factor = self._fabric.next_factors.pop(0) if self._fabric.next_factors else self._fabric.factor
        if isinstance(factor, Exception):
            raise factor
        drawn, flows = random.Random(seed), workload.flows
        samples = round(workload.duration_s / workload.sample_interval_s)
        rates = [3.0 * factor * (1 + 0.004 * drawn.gauss(0, 1)) for _ in flows]
        gbps = np.repeat(np.array(rates)[:, None], samples, axis=1)
        cost = Performance(packet_hops=None, cpu_s=0.0, max_rss_mib=1.0)
        return measure(
            workload,
            gbps,
            backend="simulated",
            seed=seed,
            fabric="two-switch",
            profile=self._fabric.in_force,
            counters={},
            performance=cost,
        )

    def restore(self) -> None:
        self._fabric.in_force = BASE

    def close(self) -> None:
        self._fabric.held = False
