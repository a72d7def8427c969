# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One measurement on a simulated fabric."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions
from tuner.measuring.port_series import PortSeries


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measurement to make."""

    workload: str | Workload
    """Path or name of a workload, or the workload itself."""
    profile: str | Profile = "off"
    """Path or name of a profile, or the profile itself."""
    profile_settings: Mapping[str, object] = field(default_factory=dict)
    """Changes to a profile that is named, by dotted key: `{"ca.ccti_timer": 2000}`."""
    model: Mapping[str, Any] = field(default_factory=dict)
    """Changes to the simulated devices by dotted key: `{"switch.hysteresis_bytes": 0}`."""
    fabric: str | None = None
    """Path or name of a fabric instead of the workload's own."""
    seed: int = 1
    time_scale: float = 1.0
    """Multiplies the workload's times, but neither the sample interval nor the timers of congestion control."""

    def documents(self) -> tuple[Workload, Profile]:
        """The workload, scaled, and the profile. Raises BadInputError."""
        workload = load_workload(self.workload) if isinstance(self.workload, str) else self.workload
        profile = self.profile if isinstance(self.profile, Profile) else load_profile(self.profile, self.profile_settings)
        # An expanded workload has flows that no document can say, and so can only be taken as it is.
        as_it_is = workload is self.workload and self.time_scale == 1
        return (workload if as_it_is else workload.scaled(self.time_scale)), profile

    def fabric_name(self) -> str:
        """Path or name of the fabric. Raises BadInputError if the workload is named and cannot be read."""
        return self.fabric or (load_workload(self.workload) if isinstance(self.workload, str) else self.workload).fabric


def never() -> bool:
    return False


def measure_one(
    run: Run, should_stop: Callable[[], bool] = never, *, on_port_series: Callable[[PortSeries], None] | None = None
) -> Measurement:
    """`on_port_series` gets the queues of all ports over time. Raises BadInputError if the run does not fit the fabric or the
    devices, InterruptedRunError soon after `should_stop()`."""
    settings = {f"model.{key}": value for key, value in run.model.items()}
    options = BackendOptions(fabric=run.fabric, settings=settings, on_port_series=on_port_series)
    backend = create_backend("simulated", options)
    backend.open()
    try:
        workload, profile = run.documents()
        backend.apply(profile)
        return backend.measure(workload, seed=run.seed, should_stop=should_stop)
    finally:
        backend.restore()
        backend.close()
