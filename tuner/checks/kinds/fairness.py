# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `fairness`: a short workload, and the metrics of its flows."""

from collections.abc import Callable

from tuner.backends.registry import create_backend
from tuner.checks.fairness_metrics import FAIRNESS_METRICS, meaningful
from tuner.checks.hosts.cluster import cluster_backend
from tuner.checks.hosts.need import HostNeed
from tuner.checks.hosts.tonight import TonightHosts
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import Fairness
from tuner.documents.profile import load_profile
from tuner.documents.workload import Workload, load_workload
from tuner.goals.metrics import METRICS
from tuner.measuring.backend import Backend
from tuner.measuring.measurement import Measurement
from tuner.measuring.options import BackendOptions

_AROUND_S = 10.0
"""Time that hosts take before and after a workload, beside that to connect: clocks are compared, agents end."""


def plan(options: Fairness, night: Night) -> str:
    """Raises BadInputError for a workload or profile that cannot be read."""
    workload = _workload(options)
    under = "the profile in force" if options.profile is None else f"profile '{load_profile(options.profile, {}).name}'"
    return f"run workload '{workload.name}' for {workload.duration_s:g} s on backend '{options.backend}' under {under}"


def hosts(options: Fairness, night: Night) -> HostNeed | None:
    """Raises BadInputError for a workload that cannot be read."""
    if options.backend != "cluster":
        return None
    workload = _workload(options)
    return HostNeed(workload=workload, seconds=workload.duration_s + _AROUND_S)


def observe(options: Fairness, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    workload = _workload(options)
    warnings: list[str] = []
    if night.hosts is not None:
        tonight = night.hosts
        tonight.require(tonight.lead_s + workload.duration_s + _AROUND_S)
        backend: Backend = cluster_backend(tonight, fabric=night.fabric, owner=night.owner, on_warning=warnings.append)
        measurement = _measured(backend, options, tonight.workload or workload, night, tonight.should_stop)
    else:
        settings = {f"backend.{key}": value for key, value in _sockets(options).items() if value is not None}
        fabric = night.fabric if options.backend == "simulated" else None  # an emulated one runs already
        chosen = BackendOptions(fabric=fabric, settings=settings, owner=night.owner, on_warning=warnings.append)
        measurement = _measured(create_backend(options.backend, chosen), options, workload, night, lambda: False)
    if "deadlock" in measurement.counters:
        more = "".join(f"; {sentence}" for sentence in dict.fromkeys(warnings))
        return Observation(not_run=f"workload '{workload.name}' ended in a deadlock, so its metrics say nothing{more}")
    measured = measurement.metrics.to_json()
    kinds = meaningful({flow.role for flow in measurement.flows}, measured)
    values = tuple((kind, _value(measured[METRICS[kind.name].key], METRICS[kind.name].when_null)) for kind in kinds)
    return Observation(metrics=values, facts=(_about(measurement, night.hosts, night.seed), *dict.fromkeys(warnings)))


def _measured(
    backend: Backend, options: Fairness, workload: Workload, night: Night, should_stop: Callable[[], bool]
) -> Measurement:
    try:
        backend.open()
        if options.profile is not None:
            backend.apply(load_profile(options.profile, {}))
        return backend.measure(workload, seed=night.seed, should_stop=should_stop, on_progress=night.on_progress)
    finally:
        backend.restore()
        backend.close()


def _about(measurement: Measurement, hosts: TonightHosts | None, seed: int) -> str:
    if hosts is not None:
        return f"the profile in force on fabric '{measurement.fabric}', {hosts.how}"
    return f"profile '{measurement.profile}' on fabric '{measurement.fabric}', seed {seed}"


def _workload(options: Fairness) -> Workload:
    return load_workload(options.workload).scaled(options.time_scale)


def _sockets(options: Fairness) -> dict[str, str | None]:
    return {"socket": options.socket, "plugin": options.plugin}


def _value(value: float | None, when_null: float | None) -> float | None:
    return when_null if value is None else value


KINDS.add("fairness", Kind(options=Fairness, metrics=FAIRNESS_METRICS, plan=plan, observe=observe, hosts=hosts))
