# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns on a fabric of 400 Gb/s that DCQCN's published sets are measured beside, with the same fresh seeds."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from statistics import fmean
from typing import Any

from ccsim.policy import Profile
from experiments._common.runs import Run, read_all
from experiments.nvidia_tuning.campaigns import FABRIC, WORKLOAD, lay_out, tune
from experiments.nvidia_tuning.dialects import DCQCN, PUBLISHED, REFERENCE_GBPS, published
from tuner.documents.fabric import FabricDocument
from tuner.documents.parameter import Scalar
from tuner.documents.workload import Workload
from tuner.goals.metrics import Metrics
from tuner.measuring.measurement import Measurement

OBJECTIVES: Mapping[str, float] = {"victim_throughput": 10, "treatment_variation": 100}
CONFIRMED = (101, 102, 103)
CONSTRAINTS: Mapping[str, Any] = {"contributor_total": {"at_least": 0.95}}
SEARCHES, TRIALS, FRONT = 5, 60, 8


def from_the_window_on(workload: Workload) -> Workload:
    """Victims that begin with the window have nothing to catch up with: otherwise one that was held back before seems to get more
    than it asks for."""
    later = {"start_s": workload.warmup_s}
    patterns = [one.model_copy(update=later) if getattr(one, "role", None) == "victim" else one for one in workload.patterns]
    return workload.model_copy(update={"patterns": tuple(patterns)})


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """Means over the fresh seeds."""

    victims_gbps: float
    variation: float
    spread_gbps: float
    total_gbps: float

    def beats(self, other: "Outcome") -> bool:
        """Better in both objectives."""
        return self.victims_gbps > other.victims_gbps and self.variation < other.variation

    @classmethod
    def of(cls, *found: Metrics) -> "Outcome":
        return cls(
            victims_gbps=fmean(one.victim_throughput_gbps or 0 for one in found),
            variation=fmean(one.treatment_variation_gbps2 or 0 for one in found),
            spread_gbps=fmean(one.spread_gbps or 0 for one in found),
            total_gbps=fmean(one.contributor_total_gbps or 0 for one in found),
        )


@dataclass(frozen=True, kw_only=True)
class Found:
    """A campaign's recommendation."""

    seed: int
    outcome: Outcome
    params: Mapping[str, Scalar]


def references(folder: Path, fabric: FabricDocument, workload: Workload, workers: int | None) -> dict[str, Outcome]:
    """Outcomes of `off` and of the published sets, scaled to the rate."""
    lay_out(folder, fabric, workload, DCQCN, published(PUBLISHED[0], REFERENCE_GBPS))
    profiles: dict[str, str | Profile] = {"off": "off", **{name: published(name, REFERENCE_GBPS) for name in PUBLISHED}}
    runs = {
        (name, seed): Run(workload=str(folder / WORKLOAD), profile=profile, fabric=str(folder / FABRIC), seed=seed)
        for name, profile in profiles.items()
        for seed in CONFIRMED
    }
    read = read_all(runs, metrics_of, workers=workers)
    return {name: Outcome.of(*(read[name, seed] for seed in CONFIRMED)) for name in profiles}


def metrics_of(measurement: Measurement) -> Metrics:
    return measurement.metrics


def searched(
    folder: Path,
    fabric: FabricDocument,
    workload: Workload,
    *,
    searches: int = SEARCHES,
    trials: int = TRIALS,
    on_progress: Callable[[float], None],
) -> list[Found]:
    """Campaigns that differ in their seeds: that of the sampler and that of the measurements. One without a recommendation is
    left out."""
    found = []
    for seed in range(1, searches + 1):

        def progress(done: float, before: float = float(seed - 1)) -> None:
            on_progress((before + done) / searches)

        place = folder / f"seed-{seed}"
        lay_out(place, fabric, workload, DCQCN, published(PUBLISHED[0], REFERENCE_GBPS))
        result = tune(
            place,
            DCQCN,
            REFERENCE_GBPS,
            name=f"ndr-{seed}",
            trials=trials,
            objectives=OBJECTIVES,
            constraints=CONSTRAINTS,
            front=FRONT,
            seed=seed,
            confirmed=CONFIRMED,
            on_progress=progress,
        )
        if result.recommended is not None:
            (metrics,) = result.recommended.confirmed.evaluation.by_workload().values()
            found.append(Found(seed=seed, outcome=Outcome.of(metrics), params=result.recommended.record.params))
    return found
