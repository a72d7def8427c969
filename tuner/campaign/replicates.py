# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Estimates from replicates: the value of a figure, its standard error and its interval.

The replicates of a campaign are its seeds. A figure may be any function of them: a mean, a ratio of two means, that of the worst
workload. So the standard error is the jackknife's: from how the figure changes when one seed is left out. For a mean that is the
textbook's standard error, and for a figure that takes the same seeds of two profiles it is the paired one.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from tuner.campaign.student_t import quantile

CONFIDENCE = 0.95

Figures: TypeAlias = Mapping[str, float]


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A figure from replicates."""

    value: float
    standard_error: float | None
    """In the figure's unit; None from one replicate."""
    replicates: int

    def interval(self, confidence: float = CONFIDENCE) -> tuple[float, float] | None:
        """Holds the true figure with this probability (both sides alike, Student's t); None from one replicate."""
        if self.standard_error is None:
            return None
        reach = quantile((1 + confidence) / 2, self.replicates - 1) * self.standard_error
        return self.value - reach, self.value + reach

    def at_least(self, confidence: float) -> float | None:
        """Returns the one-sided lower bound of the figure at this confidence (0.5 to below 1); None from one replicate."""
        if self.standard_error is None:
            return None
        return self.value - quantile(confidence, self.replicates - 1) * self.standard_error

    def to_json(self) -> dict[str, float | int | None]:
        low, high = self.interval() or (None, None)
        return {
            "value": self.value,
            "standard_error": self.standard_error,
            "low": low,
            "high": high,
            "replicates": self.replicates,
        }


def jackknife(seeds: Sequence[int], figures: Callable[[Sequence[int]], Figures]) -> dict[str, Estimate]:
    """Estimates of all figures that `figures` computes from some of the seeds.

    Source: Efron and Stein, The jackknife estimate of variance, Annals of Statistics 9, 1981: the variance is (n - 1) / n times
    the sum of the squared differences of the figures without one replicate from their mean.
    """
    whole, n = figures(seeds), len(seeds)
    if n < 2:
        return {name: Estimate(value=value, standard_error=None, replicates=n) for name, value in whole.items()}
    parts = [figures([seed for seed in seeds if seed != left_out]) for left_out in seeds]
    return {
        name: Estimate(value=value, standard_error=_standard_error([part[name] for part in parts]), replicates=n)
        for name, value in whole.items()
    }


def _standard_error(without_one: Sequence[float]) -> float:
    n = len(without_one)
    mean = math.fsum(without_one) / n
    return math.sqrt((n - 1) / n * math.fsum((value - mean) ** 2 for value in without_one))
