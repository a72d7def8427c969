# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Simulates incasts on the fabric itself, without congestion control and under a suggested profile."""

import math
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any

import ccsim
from ccsim.policy import TIMER_UNIT_NS, Profile
from tuner.documents.device_model import device_model
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.simulation.flows import simulated_flows
from tuner.simulation.measurement import simulated_measurement
from tuner.suggest.incast_traffic import IncastTraffic
from tuner.suggest.suggestion import Suggestion


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One incast under a profile."""

    contributors: int
    victims: float | None
    """Share that victims get of what they ask for; None if none could be placed."""
    total: float
    """Share that contributors get together of what the receiver takes."""
    victims_without: float | None
    """Share that victims get without congestion control."""
    total_without: float

    @property
    def kept(self) -> float:
        """Share that contributors keep of their total without congestion control."""
        return self.total / self.total_without

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


class Incasts:
    """Measures incasts on one fabric."""

    def __init__(self, built: BuiltFabric, suggestion: Suggestion, *, seed: int = 1) -> None:
        """Contributors send to a receiver that takes as much as the suggestion is made for. Raises BadInputError if the routes
        can deadlock."""
        if loop := built.credit_loop():
            raise BadInputError(
                f"the routes of fabric '{built.document.name}' have a credit loop, so that incasts can deadlock: {loop}; choose "
                "another routing, or leave the incasts out"
            )
        self._built, self._suggestion, self._seed = built, suggestion, seed
        self._traffic = IncastTraffic(built, receive_gbps=suggestion.receive_gbps, seed=seed)
        self._without: dict[int, tuple[float | None, float]] = {}
        """Victims and total without congestion control, which hardly depend on the devices."""

    def measure(
        self,
        contributors: int,
        model: Mapping[str, Any],
        *,
        settles_ms: float,
        on_progress: Callable[[float], None] = lambda fraction: None,
    ) -> Measured:
        """Measures an incast without congestion control and under the suggested profile, with devices of these settings.

        Raises BadInputError if the fabric has no routes for so many contributors.
        """
        timer = self._suggestion.values.ccti_timer if self._suggestion.kinds.a10 else 0
        workload = self._traffic.workload(contributors, settles_ms=settles_ms, timer_us=timer * TIMER_UNIT_NS * 1e-3)
        if contributors not in self._without:
            self._without[contributors] = self._run(workload, None, model, lambda done: on_progress(done / 2))
        victims_without, total_without = self._without[contributors]
        victims, total = self._run(workload, self._suggestion.profile, model, lambda done: on_progress((1 + done) / 2))
        return Measured(
            contributors=contributors,
            victims=victims,
            total=total,
            victims_without=victims_without,
            total_without=total_without,
        )

    def _run(
        self, workload: Workload, profile: Profile | None, model: Mapping[str, Any], on_progress: Callable[[float], None]
    ) -> tuple[float | None, float]:
        built = self._built

        def progress(simulated_s: float) -> bool:
            on_progress(min(1.0, simulated_s / workload.duration_s))
            return True

        simulation = ccsim.Simulation(
            built.fabric,
            simulated_flows(built, workload),
            tables=None if profile is None else profile.resolve(built.fabric),
            model=device_model(built.document.model, model, mtu_bytes=built.document.mtu_bytes),
            seed=self._seed,
            duration_s=workload.duration_s,
            sample_interval_s=workload.sample_interval_s,
            judged_s=workload.window(),
        )
        measured = simulated_measurement(
            built, workload, simulation.run(progress), backend="simulated", seed=self._seed, profile="suggested"
        )
        asked = {flow.name: flow.rate_gbps for flow in workload.flows}
        victims = [flow.mean_gbps / (asked[flow.name] or math.inf) for flow in measured.flows if flow.role == "victim"]
        total = sum(flow.mean_gbps for flow in measured.flows if flow.role == "contributor")
        target = self._traffic.paths[built.hosts.find(workload.flows[0].dst)]
        return (sum(victims) / len(victims) if victims else None), total / target.receive_gbps
