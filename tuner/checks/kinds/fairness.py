# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `fairness`: a short workload, and the metrics of its flows."""

from tuner.backends.registry import create_backend
from tuner.checks.fairness_metrics import FAIRNESS_METRICS, meaningful
from tuner.checks.flow_changes import changed_flows
from tuner.checks.flow_record import flow_record
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.observation import Observation
from tuner.documents.check_kinds import Fairness
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile, profile_revision
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import build
from tuner.goals.metrics import METRICS
from tuner.measuring.options import BackendOptions


def plan(options: Fairness, night: Night) -> str:
    """Raises BadInputError for a workload or profile that cannot be read."""
    workload = load_workload(options.workload).scaled(options.time_scale)
    under = "the profile in force" if options.profile is None else f"profile '{load_profile(options.profile, {}).name}'"
    return f"run workload '{workload.name}' for {workload.duration_s:g} s on backend '{options.backend}' under {under}"


def observe(options: Fairness, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    workload = load_workload(options.workload).scaled(options.time_scale)
    warnings: list[str] = []
    settings = {f"backend.{key}": value for key, value in _sockets(options).items() if value is not None}
    built = build(load_fabric(night.fabric))
    fabric = night.fabric if options.backend == "simulated" else built.document.name  # an emulated one runs already
    profile = None if options.profile is None else load_profile(options.profile, {})
    backend = create_backend(
        options.backend, BackendOptions(fabric=fabric, settings=settings, owner=night.owner, on_warning=warnings.append)
    )
    try:
        backend.open()
        if profile is not None:
            backend.apply(profile)
        measurement = backend.measure(workload, seed=night.seed, on_progress=night.on_progress)
    finally:
        backend.restore()
        backend.close()
    if "deadlock" in measurement.counters:
        more = "".join(f"; {sentence}" for sentence in dict.fromkeys(warnings))
        return Observation(not_run=f"workload '{workload.name}' ended in a deadlock, so its metrics say nothing{more}")
    measured = measurement.metrics.to_json()
    kinds = meaningful({flow.role for flow in measurement.flows}, measured)
    values = tuple((kind, _value(measured[METRICS[kind.name].key], METRICS[kind.name].when_null)) for kind in kinds)
    facts = (f"profile '{measurement.profile}' on fabric '{measurement.fabric}', seed {night.seed}", *dict.fromkeys(warnings))
    revision = measurement.profile if profile is None else profile_revision(profile)
    good = None if night.good is None else night.good.record
    record = flow_record(measurement, built, workload, revision, night.date, good)
    return Observation(metrics=values, facts=facts, record=record, symptoms=None if good is None else changed_flows(record, good))


def _sockets(options: Fairness) -> dict[str, str | None]:
    return {"socket": options.socket, "plugin": options.plugin}


def _value(value: float | None, when_null: float | None) -> float | None:
    return when_null if value is None else value


KINDS.add("fairness", Kind(options=Fairness, metrics=FAIRNESS_METRICS, plan=plan, observe=observe))
