# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Many measurements on simulated fabrics, several at once: the simulator releases the GIL, so threads are enough."""

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ccsim.policy import Profile
from tuner.backends.registry import create_backend
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

Key = TypeVar("Key", bound=Hashable)
Reading = TypeVar("Reading")


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


def measure_one(run: Run) -> Measurement:
    """Raises BadInputError if the run does not fit the fabric or the devices."""
    settings = {f"model.{key}": value for key, value in run.model.items()}
    backend = create_backend("simulated", BackendOptions(fabric=run.fabric, settings=settings))
    backend.open()
    try:
        profile = run.profile
        backend.apply(profile if isinstance(profile, Profile) else load_profile(profile, run.profile_settings))
        workload = run.workload if isinstance(run.workload, Workload) else load_workload(run.workload)
        return backend.measure(workload.scaled(run.time_scale), seed=run.seed)
    finally:
        backend.restore()
        backend.close()


def measure_all(
    runs: Mapping[Key, Run], *, workers: int | None = None, on_progress: Callable[[float], None] = lambda fraction: None
) -> dict[Key, Measurement]:
    """The measurement of every run, under its key and in the same order. `workers`: threads, by default one for each processor.

    Raises what the first failing run raises.
    """
    return read_all(runs, lambda measurement: measurement, workers=workers, on_progress=on_progress)


def read_all(
    runs: Mapping[Key, Run],
    reading: Callable[[Measurement], Reading],
    *,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[Key, Reading]:
    """As measure_all, but keeps only what `reading` makes of each measurement: those of hundreds of hosts are megabytes each."""
    read: dict[Key, Reading] = {}
    with ThreadPoolExecutor(max_workers=workers or os.cpu_count()) as pool:
        futures = {pool.submit(lambda run: reading(measure_one(run)), run): key for key, run in runs.items()}
        try:
            for done, future in enumerate(as_completed(list(futures)), start=1):
                read[futures.pop(future)] = future.result()
                on_progress(done / len(runs))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise
    return {key: read[key] for key in runs}


def seeds(count: int, first: int = 1) -> Sequence[int]:
    """Returns `count` seeds, from `first` on."""
    return range(first, first + count)
