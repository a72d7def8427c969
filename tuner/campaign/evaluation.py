# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One profile under every workload and seed of a plan, and what the campaign reads from it."""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from statistics import fmean
from typing import Any

from ccsim.policy import Profile, ProfileError
from tuner.backends.base import Backend
from tuner.constraints.base import Bound
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.measurement import Measurement
from tuner.metrics import Metrics
from tuner.objectives.base import Objective


@dataclass(frozen=True, kw_only=True)
class Plan:
    """What is measured of every profile: each workload with each seed (common random numbers)."""

    workloads: tuple[Workload, ...]
    seeds: tuple[int, ...]

    def single_runs(self) -> list["Plan"]:
        """The same work in the smallest pieces, for measuring few profiles on many workers."""
        return [Plan(workloads=(w,), seeds=(seed,)) for w, seed in itertools.product(self.workloads, self.seeds)]


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measurement's metrics."""

    workload: str
    seed: int
    metrics: Metrics


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The runs of a plan under one profile."""

    runs: tuple[Run, ...]
    duration_s: float
    """Wall time that the runs took, one after the other."""
    packet_hops: int

    @classmethod
    def joined(cls, parts: Iterable["Evaluation"]) -> "Evaluation":
        """Several evaluations of the same profile as one."""
        parts = list(parts)
        return cls(
            runs=tuple(run for part in parts for run in part.runs),
            duration_s=sum(part.duration_s for part in parts),
            packet_hops=sum(part.packet_hops for part in parts),
        )

    @property
    def metrics(self) -> Metrics:
        """Means over the runs; None where a run has none."""
        return mean_metrics([run.metrics for run in self.runs])

    def by_workload(self) -> dict[str, Metrics]:
        """Means over the seeds, for each workload."""
        names = dict.fromkeys(run.workload for run in self.runs)
        return {name: mean_metrics([run.metrics for run in self.runs if run.workload == name]) for name in names}

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Evaluation":
        runs = tuple(Run(**(run | {"metrics": Metrics(**run["metrics"])})) for run in document["runs"])
        return cls(runs=runs, duration_s=document["duration_s"], packet_hops=document["packet_hops"])


def mean_metrics(metrics: Sequence[Metrics]) -> Metrics:
    """The mean of each metric; None as soon as one is None."""
    means = {}
    for field in fields(Metrics):
        values = [getattr(one, field.name) for one in metrics]
        means[field.name] = None if None in values else fmean(values)
    return Metrics(**means)


def evaluate(
    backend: Backend, profile: Profile, plan: Plan, should_stop: Callable[[], bool]
) -> tuple[Evaluation, tuple[Measurement, ...]]:
    """Measures a plan. Raises what the backend raises, InterruptedRunError among it, and BadInputError for a profile that
    contradicts itself on a device."""
    try:
        return _evaluate(backend, profile, plan, should_stop)
    except ProfileError as error:
        raise BadInputError(error.sentence) from error


def _evaluate(
    backend: Backend, profile: Profile, plan: Plan, should_stop: Callable[[], bool]
) -> tuple[Evaluation, tuple[Measurement, ...]]:
    begin = time.monotonic()
    backend.apply(profile)
    measurements = [
        backend.measure(workload, seed=seed, should_stop=should_stop)
        for workload, seed in itertools.product(plan.workloads, plan.seeds)
    ]
    runs = tuple(
        Run(workload=workload.name, seed=seed, metrics=measurement.metrics)
        for (workload, seed), measurement in zip(itertools.product(plan.workloads, plan.seeds), measurements, strict=True)
    )
    return Evaluation(
        runs=runs,
        duration_s=time.monotonic() - begin,
        packet_hops=sum(m.performance.packet_hops or 0 for m in measurements),
    ), tuple(measurements)


def objective_values(evaluation: Evaluation, objectives: Sequence[Objective]) -> dict[str, float]:
    """Each objective's value: means over the seeds of each workload, put together over the workloads as the objective says.

    Raises BadInputError if a run has no value for one.
    """
    values = {}
    for objective in objectives:
        by_workload: dict[str, list[float]] = {}
        for run in evaluation.runs:
            metric = getattr(run.metrics, objective.metric)
            if metric is None and objective.when_null is None:
                raise BadInputError(
                    f"objective '{objective.name}' has no value under workload '{run.workload}': "
                    f"no flow there has the role that it looks at, or nothing got through"
                )
            by_workload.setdefault(run.workload, []).append(float(objective.when_null or 0.0) if metric is None else metric)
        values[objective.name] = objective.combined([fmean(metrics) for metrics in by_workload.values()])
    return values


def violations(
    evaluation: Evaluation, baseline: Evaluation, constraints: Sequence[Bound], *, expert: Evaluation | None = None
) -> dict[str, float]:
    """For each constraint how far it is violated in the workload where it is worst; at most 0 if it is kept in all.

    All evaluations must be of the same plan. Constraints that are measured by the expert are left out where that is not given.
    Raises BadInputError if a workload has no value for a constraint.
    """
    references = {"baseline": baseline.by_workload(), "expert": {} if expert is None else expert.by_workload()}
    worst = {}
    for bound in constraints:
        if bound.of == "expert" and expert is None:
            continue
        shortfalls = []
        for workload, metrics in evaluation.by_workload().items():
            value = _constrained(bound, metrics)
            reference = None if bound.of == "value" else _constrained(bound, references[bound.of][workload])
            if value is None or (reference is None and bound.of != "value"):
                raise BadInputError(
                    f"constraint '{bound.name}' has no value under workload '{workload}': "
                    "no flow there has the role that it looks at"
                )
            shortfalls.append(bound.violation(value, reference))
        worst[bound.name] = max(shortfalls)
    return worst


def _constrained(bound: Bound, metrics: Metrics) -> float | None:
    """What a constraint looks at; None if the workload has no flow for it."""
    value: float | None = getattr(metrics, bound.constraint.metric)
    return bound.constraint.when_null if value is None else value
