# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A cluster that behaves as real ones do, on the simulator: measurements differ from each other, drift over the day, settle
slowly after a change of profile, lose hosts in the middle, and go one at a time. Its clock is its own, so that tests take no
day."""

import math
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from ccsim.policy import Profile
from tuner.backends.simulated import SimulatedBackend
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload
from tuner.errors import ApplyFailedError, BadInputError, NeedsPersonError
from tuner.hosts.driver import FabricControl, HostLostError, Reading, TrafficRun
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

DAY_S = 86400.0


@dataclass
class FakeFabric:
    """The fabric's settings, and who holds them."""

    cluster: "FakeCluster"
    base: str = "off"
    taken: bool = False
    ended_by_somebody: bool = False

    def take(self) -> None:
        if self.cluster.held_by not in (None, self):
            raise NeedsPersonError("the fabric is taken: somebody, process 4711 on login1")
        self.cluster.held_by, self.taken = self, True

    def require(self, profile: Profile) -> None:
        self.check()
        if self.cluster.cannot_take is not None:
            raise BadInputError(f"profile '{profile.name}' has the section nvidia, and {self.cluster.cannot_take}")

    def put(self, profile: Profile) -> None:
        self.check()
        if self.cluster.refuses_next is not None:
            device, self.cluster.refuses_next = self.cluster.refuses_next, None
            self.restore()
            raise ApplyFailedError(f"profile '{profile.name}' is not in force on '{device}'; the base is in force again")
        self.cluster.change(profile)

    def check(self) -> None:
        if not self.taken or self.ended_by_somebody:
            raise ApplyFailedError("the profile that was tried is not in force any more")

    def restore(self) -> None:
        if self.taken:
            self.cluster.change(load_profile(self.base))

    def release(self) -> None:
        if self.taken:
            self.restore()
            self.cluster.held_by, self.taken = None, False


@dataclass
class FakeCluster:
    """A driver. What goes wrong is said before: `loses` names a host for some of the runs, by their number from 0."""

    loses: dict[int, str] = field(default_factory=dict)
    refuses_next: str | None = None
    cannot_take: str | None = None
    """Why no profile can be applied."""
    noise: float = 0.01
    """Standard deviation of each reading's progress, as a fraction."""
    drift: float = 0.02
    """Amplitude of the day's course of all rates, as a fraction."""
    slow_settling_s: float = 0.05
    """Seconds after a change in which the devices keep the former profile."""
    now_s: float = 9 * 3600.0
    seed: int = 1
    is_open: bool = False
    held_by: FakeFabric | None = None
    runs: list["FakeRun"] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.chance = random.Random(self.seed)
        self._profiles = [load_profile("off"), load_profile("off")]  # the former, and the present
        self._changed_s = -math.inf

    @property
    def present(self) -> Profile:
        return self._profiles[1]

    def change(self, profile: Profile) -> None:
        self._profiles = [self.present, profile]
        self._changed_s = self.now_s

    def open(self) -> None:
        self.is_open = True

    def hosts(self) -> frozenset[str]:
        return frozenset(host.name for host in load_fabric("two-switch").hosts)

    def fabric(self, options: BackendOptions, *, ttl_s: int) -> FabricControl:
        return FakeFabric(self)

    def start(self, workload: Workload, *, seed: int) -> TrafficRun:
        assert self.is_open
        assert all(run.stopped for run in self.runs), "one run at a time"
        left_s = self._changed_s + self.slow_settling_s - self.now_s
        former, present = self._profiles
        later = [(left_s, present)] if 0 < left_s < workload.duration_s else []
        # No seed of ours makes a real fabric do the same again.
        simulator = SimulatedBackend(BackendOptions(later=later))
        simulator.apply(former if left_s > 0 else present)
        measurement = simulator.measure(workload, seed=self.chance.getrandbits(32))
        rate = 1 - self.drift * (1 + math.sin(2 * math.pi * self.now_s / DAY_S)) / 2
        self.runs.append(FakeRun(self, workload, measurement, rate, self.loses.get(len(self.runs))))
        return self.runs[-1]

    def wait(self, seconds: float, should_stop: Callable[[], bool]) -> None:
        self.now_s += 0 if should_stop() else seconds

    def close(self) -> None:
        self.is_open = False


@dataclass
class FakeRun:
    cluster: FakeCluster
    workload: Workload
    measurement: Measurement
    rate: float
    loses: str | None
    stopped: bool = False

    def readings(self) -> Iterator[Reading | None]:
        chance, noise = self.cluster.chance, self.cluster.noise
        total = [0.0] * len(self.workload.flows)
        for k, t_s in enumerate(self.measurement.t_s.tolist()):
            if self.loses is not None and t_s > self.workload.duration_s / 2:
                raise HostLostError(self.loses, "it does not answer")
            yield None
            for flow, row in enumerate(self.measurement.gbps):
                total[flow] += max(0.0, row[k] * self.rate * chance.gauss(1, noise)) * self.workload.sample_interval_s / 8e-9
                # Read a little late, and by no two receivers at the same time.
                yield Reading(flow, t_s + chance.uniform(0, 0.1) * self.workload.sample_interval_s, round(total[flow]))

    def facts(self) -> dict[str, Any]:
        return {}

    def stop(self) -> None:
        if not self.stopped:
            self.cluster.now_s += self.workload.duration_s
        self.stopped = True
