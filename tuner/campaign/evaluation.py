# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One profile under every workload and seed of a plan, and what the campaign reads from it."""

import itertools
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from statistics import fmean
from typing import Any, Protocol

from ccsim.policy import Profile, ProfileError
from tuner.documents.workload import Workload
from tuner.errors import BadInputError
from tuner.goals.constraints import Bound
from tuner.goals.metrics import Metrics
from tuner.goals.objectives import Objective
from tuner.measuring.backend import Backend, VariesModel
from tuner.measuring.configuration import Configuration
from tuner.measuring.measurement import Measurement
from tuner.measuring.room import with_room


@dataclass(frozen=True, kw_only=True)
class Run:
    """One measurement's metrics."""

    workload: str
    seed: int
    metrics: Metrics


class Guard(Protocol):
    """Looks at an evaluation between its runs. It travels with the plan to whoever measures, so it must be picklable."""

    def broken(self, so_far: "Evaluation", plan: "Plan") -> str:
        """Returns a sentence that says why the rest need not be measured; an empty one as long as it must be."""


@dataclass(frozen=True, kw_only=True)
class Yardstick:
    """What shares are parts of, in one workload, in Gb/s; None where there is none."""

    victims_gbps: float | None
    """Throughput of a victim while the contributors are silent."""
    contributors_gbps: float | None
    """Throughput of all contributors with CC off."""


@dataclass(frozen=True, kw_only=True)
class Plan:
    """Measurements that are made of every profile: each workload with each seed (common random numbers), in this order."""

    workloads: tuple[Workload, ...]
    seeds: tuple[int, ...]
    guard: Guard | None = None
    """May end an evaluation early."""
    beside: Profile | None = None
    """Measured by turns with the profile, under the same seeds: on a fabric whose state drifts, only neighbours compare. Who is
    first changes from run to run, so that a steady drift favours neither."""
    models: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Settings of the devices for some workloads by name, over the configuration's own; see scenarios/."""
    yardsticks: Mapping[str, Yardstick] = field(default_factory=dict)
    """By workload; metrics have shares where one is given."""
    turn: int = 0
    """Turns that other parts of the same plan have before this one."""

    @property
    def size(self) -> int:
        """Runs of the profile."""
        return len(self.workloads) * len(self.seeds)

    def runs(self) -> Iterable[tuple[Workload, int]]:
        """Workload and seed of each run: all seeds of one workload, then the next one's."""
        return itertools.product(self.workloads, self.seeds)

    def single_runs(self) -> list["Plan"]:
        """The same work in the smallest pieces, for measuring few profiles on many workers."""
        return [
            replace(self, workloads=(workload,), seeds=(seed,), turn=self.turn + turn)
            for turn, (workload, seed) in enumerate(self.runs())
        ]


@dataclass(frozen=True, kw_only=True)
class Evaluation:
    """The runs of a plan under one profile."""

    runs: tuple[Run, ...]
    duration_s: float
    """Wall time that the runs took, one after the other."""
    packet_hops: int
    paired: tuple[Run, ...] = ()
    """The baseline's runs that were measured by turns with these; none where the same seed always gives the same run."""
    stopped: str = ""
    """Sentence that says why not all of the plan was measured; empty if all of it was."""

    @classmethod
    def joined(cls, parts: Iterable["Evaluation"]) -> "Evaluation":
        """Several evaluations of the same profile as one."""
        parts = list(parts)
        return cls(
            runs=tuple(run for part in parts for run in part.runs),
            duration_s=sum(part.duration_s for part in parts),
            packet_hops=sum(part.packet_hops for part in parts),
            paired=tuple(run for part in parts for run in part.paired),
            stopped="; ".join(part.stopped for part in parts if part.stopped),
        )

    @property
    def metrics(self) -> Metrics:
        """Means over the runs; None where a run has none."""
        return mean_metrics([run.metrics for run in self.runs])

    @property
    def seeds(self) -> tuple[int, ...]:
        return tuple(dict.fromkeys(run.seed for run in self.runs))

    @property
    def workloads(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(run.workload for run in self.runs))

    def by_workload(self) -> dict[str, Metrics]:
        """Means over the seeds, for each workload."""
        return {name: mean_metrics([run.metrics for run in self.runs if run.workload == name]) for name in self.workloads}

    def part(self, *, workloads: Iterable[str] | None = None, seeds: Iterable[int] | None = None) -> "Evaluation":
        """Only the runs of some workloads and seeds; by default of all."""
        names, numbers = set(self.workloads if workloads is None else workloads), set(self.seeds if seeds is None else seeds)

        def wanted(runs: tuple[Run, ...]) -> tuple[Run, ...]:
            return tuple(run for run in runs if run.workload in names and run.seed in numbers)

        return replace(self, runs=wanted(self.runs), paired=wanted(self.paired))

    def compared_with(self, baseline: "Evaluation") -> "Evaluation":
        """Returns the baseline under the same workloads and seeds: as measured beside this profile, else from `baseline`."""
        if self.paired:
            return Evaluation(runs=self.paired, duration_s=0.0, packet_hops=0)
        return baseline.part(workloads=self.workloads, seeds=self.seeds)

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, document: Mapping[str, Any]) -> "Evaluation":
        """Also of a store that knows neither pairs nor early stops."""
        return cls(**(dict(document) | {key: _runs_of(document.get(key, ())) for key in ("runs", "paired")}))


def _runs_of(documents: Iterable[Mapping[str, Any]]) -> tuple[Run, ...]:
    return tuple(Run(**(dict(run) | {"metrics": Metrics(**run["metrics"])})) for run in documents)


def mean_metrics(metrics: Sequence[Metrics]) -> Metrics:
    """The mean of each metric; None as soon as one is None."""
    means = {}
    for metric in fields(Metrics):
        values = [getattr(one, metric.name) for one in metrics]
        means[metric.name] = None if None in values else fmean(values)
    return Metrics(**means)


def evaluate(
    backend: Backend, configuration: Configuration, plan: Plan, should_stop: Callable[[], bool]
) -> tuple[Evaluation, tuple[Measurement, ...]]:
    """Measures a plan. Raises what the backend raises, InterruptedRunError among it, and BadInputError for a profile that
    contradicts itself on a device, or for a model that the backend cannot vary."""
    try:
        return _evaluate(backend, configuration, plan, should_stop)
    except ProfileError as error:
        raise BadInputError(error.sentence) from error


def _evaluate(
    backend: Backend, configuration: Configuration, plan: Plan, should_stop: Callable[[], bool]
) -> tuple[Evaluation, tuple[Measurement, ...]]:
    begin = time.monotonic()
    turns = _Turns(backend, plan.models, should_stop)
    beside = None if plan.beside is None else Configuration(plan.beside)
    so_far = Evaluation(runs=(), duration_s=0.0, packet_hops=0)
    measurements: list[Measurement] = []
    for turn, (workload, seed) in enumerate(plan.runs(), start=plan.turn):
        ahead = beside if turn % 2 else None
        behind = beside if ahead is None else None
        pair = [turns.measure(one, workload, seed) for one in (ahead, configuration, behind) if one is not None]
        own = 0 if ahead is None else 1
        measurements.append(pair[own])
        so_far = replace(
            so_far,
            runs=(*so_far.runs, _run(plan, workload, pair[own])),
            paired=(*so_far.paired, *(_run(plan, workload, other) for other in pair if other is not pair[own])),
            packet_hops=so_far.packet_hops + sum(measurement.performance.packet_hops or 0 for measurement in pair),
            duration_s=time.monotonic() - begin,
        )
        if plan.guard is not None and len(so_far.runs) < plan.size:
            stopped = plan.guard.broken(so_far, plan)
            if stopped:
                return replace(so_far, stopped=stopped), tuple(measurements)
    return so_far, tuple(measurements)


class _Turns:
    """Applies a configuration only where another one is in force."""

    def __init__(self, backend: Backend, models: Mapping[str, Mapping[str, Any]], should_stop: Callable[[], bool]) -> None:
        self._backend = backend
        self._models = models
        self._should_stop = should_stop
        self._in_force: tuple[Configuration, Mapping[str, Any]] | None = None

    def measure(self, configuration: Configuration, workload: Workload, seed: int) -> Measurement:
        model = self._models.get(workload.name, {})
        before, devices = self._in_force or (None, None)
        if before is not configuration or devices != model:
            self._use_model(configuration if not model else replace(configuration, model={**configuration.model, **model}))
        if before is not configuration:
            self._backend.apply(configuration.profile)
        self._in_force = configuration, model
        measurement = self._backend.measure(workload, seed=seed, should_stop=self._should_stop)
        return with_room(measurement, configuration.profile)

    def _use_model(self, configuration: Configuration) -> None:
        """An empty one too: the backend may have another from an earlier evaluation."""
        if isinstance(self._backend, VariesModel):
            self._backend.use_model(configuration.model)
        elif configuration.model:
            named = ", ".join(f"model.{path}" for path in configuration.model)
            raise BadInputError(f"this backend measures on devices whose model it cannot set, and the trial sets {named}")


def _run(plan: Plan, workload: Workload, measurement: Measurement) -> Run:
    run = Run(workload=workload.name, seed=measurement.seed, metrics=measurement.metrics)
    return with_shares(run, plan.yardsticks.get(workload.name))


def with_shares(run: Run, yardstick: Yardstick | None) -> Run:
    """Returns the run with the shares in its metrics, where there is something to compare with."""
    if yardstick is None:
        return run
    shares = run.metrics.with_shares(victims_gbps=yardstick.victims_gbps, contributors_gbps=yardstick.contributors_gbps)
    return replace(run, metrics=shares)


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
                    f"no flow there has its role, or nothing was received"
                )
            by_workload.setdefault(run.workload, []).append(float(objective.when_null or 0.0) if metric is None else metric)
        values[objective.name] = objective.combined([fmean(metrics) for metrics in by_workload.values()])
    return values


def violations(
    evaluation: Evaluation, baseline: Evaluation, constraints: Sequence[Bound], *, expert: Evaluation | None = None
) -> dict[str, float]:
    """For each constraint how far it is violated in the workload where it is worst; at most 0 if it is kept in all.

    `baseline`, `expert`: of the same plan or a larger one, of which only the same workloads and seeds count; where the evaluation
    has runs of the baseline beside it, those count instead of `baseline`. Constraints that are measured by the expert are left
    out where that is not given. Raises BadInputError if a workload has no value for a constraint.
    """
    references = {
        "baseline": evaluation.compared_with(baseline).by_workload(),
        "expert": {} if expert is None else expert.part(workloads=evaluation.workloads, seeds=evaluation.seeds).by_workload(),
    }
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
                    f"constraint '{bound.name}' has no value under workload '{workload}': {bound.constraint.missing}"
                )
            shortfalls.append(bound.violation(value, reference))
        worst[bound.name] = max(shortfalls)
    return worst


def _constrained(bound: Bound, metrics: Metrics) -> float | None:
    """Returns the metric that a constraint limits, or the constraint's `when_null` if the metric is null; None if both are."""
    value: float | None = getattr(metrics, bound.constraint.metric)
    return bound.constraint.when_null if value is None else value
