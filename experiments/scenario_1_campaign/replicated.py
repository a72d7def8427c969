# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Profiles measured side by side under the same seeds, each figure with its 95 % interval."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean
from typing import TypeVar

from experiments._common.runs import Run, read_all
from tuner.campaign.replicates import Estimate, jackknife
from tuner.goals.metrics import Metrics
from tuner.measuring.measurement import Measurement

Key = TypeVar("Key", bound=Hashable)

VICTIM, TOTAL = "victim_throughput_gbps", "contributor_total_gbps"
VARIATION, SPREAD = "treatment_variation_gbps2", "spread_gbps"


@dataclass(frozen=True)
class Replicated:
    """One profile's metrics by seed."""

    by_seed: Mapping[int, Metrics]

    def estimate(self, metric: str) -> Estimate:
        """The mean over the seeds, in the metric's unit."""
        return self._jackknife(lambda seeds: self._mean(metric, seeds))

    def ratio(self, metric: str, other: "Replicated") -> Estimate:
        """The mean over that of another profile under the same seeds, whose luck it shares."""
        return self._jackknife(lambda seeds: self._mean(metric, seeds) / other._mean(metric, seeds))

    def to_json(self) -> dict[int, dict[str, float | None]]:
        """Returns all metrics of each seed."""
        return {seed: metrics.to_json() for seed, metrics in self.by_seed.items()}

    def _jackknife(self, figure: Callable[[Sequence[int]], float]) -> Estimate:
        return jackknife(list(self.by_seed), lambda seeds: {"": figure(seeds)})[""]

    def _mean(self, metric: str, seeds: Sequence[int]) -> float:
        return fmean(getattr(self.by_seed[seed], metric) for seed in seeds)


def replicate(
    runs: Mapping[Key, Run],
    seeds: Sequence[int],
    *,
    time_scale: float = 1.0,
    workers: int | None = None,
    on_progress: Callable[[float], None] = lambda fraction: None,
) -> dict[Key, Replicated]:
    """Measures every run under each of the seeds. Raises what the first failing run raises."""
    each = {(key, seed): replace(run, seed=seed, time_scale=time_scale) for key, run in runs.items() for seed in seeds}
    read = read_all(each, _metrics, workers=workers, on_progress=on_progress)
    return {key: Replicated({seed: read[key, seed] for seed in seeds}) for key in runs}


def _metrics(measurement: Measurement) -> Metrics:
    return measurement.metrics


def plus_minus(estimate: Estimate, digits: int) -> str:
    """`0.13 ± 0.01`, half of the 95 % interval; without it from one replicate."""
    interval = estimate.interval()
    return f"{estimate.value:.{digits}f}" + ("" if interval is None else f" ± {interval[1] - estimate.value:.{digits}f}")


def percent(ratio: Estimate) -> str:
    """`38 % (31 to 46)`: a ratio with its 95 % interval."""
    interval = ratio.interval()
    return f"{ratio.value:.0%}" + ("" if interval is None else f" ({interval[0]:.0%} to {interval[1]:.0%})")
