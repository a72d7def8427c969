# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Repeats a measurement that looks changed by itself, with other random numbers; the middle values count.

An odd night then needs two odd measurements, so that its tails are lighter and one night is enough to find a large change.
docs/research/check-statistics.md has what that does to false alarms.
"""

import statistics
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import date

import numpy as np

from tuner.check_statistics.evidence import standardized
from tuner.check_statistics.series import LEAST_BASELINE
from tuner.checks.observation import MetricKind, Observation
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun
from tuner.checks.store.night_values import accepted_runs, values_by_night
from tuner.documents.check_kinds import KindOptions

SUSPICIOUS = 4.0
"""Standard deviations of the baseline's nights from which on a value is measured again."""
_LIGHTER = {"heavy": "medium"}
"""Tails of nights that are repeated, by those of single ones."""


def judged_as(metric: MetricKind, options: KindOptions) -> MetricKind:
    """Returns the metric with the tails that its nights have under these options."""
    assumed = metric.assumptions
    if assumed is None or not options.repetitions or assumed.tails not in _LIGHTER:
        return metric
    return replace(metric, assumptions=replace(assumed, tails=_LIGHTER[assumed.tails]))


def repeated(
    first: Observation,
    options: KindOptions,
    again: Callable[[int], Observation],
    *,
    runs: Sequence[NightRun],
    baseline: Baseline | None,
    night: date,
    digest: str,
) -> Observation:
    """`again`: observes the entry for the repetition of that number, from 1 on. `digest`: of its options."""
    named = replace(first, metrics=tuple((judged_as(metric, options), value) for metric, value in first.metrics))
    if baseline is None or night <= baseline.whole.nights[-1] or not options.repetitions or first.not_judged is not None:
        return named
    before = {
        metric.name: list(
            values_by_night(
                accepted_runs(runs, baseline.of(f"{options.entry}.{metric.name}")),
                options.entry,
                metric.name,
                digest,
                named.regime,
            ).values()
        )
        for metric, _ in named.metrics
    }
    odd = [metric.name for metric, value in named.metrics if value is not None and _is_odd(metric, before[metric.name], value)]
    if not odd:
        return named
    more = [again(number) for number in range(1, options.repetitions + 1)]
    if any(one.not_run is not None for one in more):
        return named
    return _middle([named, *more], odd)


def _is_odd(metric: MetricKind, before: Sequence[float], value: float) -> bool:
    assumed = metric.assumptions
    if assumed is None or len(before) < LEAST_BASELINE:
        return False
    scaled = assumed.row.forward(np.array([*before, value]), assumed.floor)
    seen, _, _ = standardized(scaled[None, :], len(before), np.array([assumed.resolution]))
    return bool(abs(seen[0, -1]) > SUSPICIOUS)


def _middle(all_of_them: Sequence[Observation], odd: Sequence[str]) -> Observation:
    """Returns the middle values, with the symptoms and the record of the measurement that is in the middle most often."""
    values = [{metric.name: value for metric, value in one.metrics} for one in all_of_them]
    middles = {metric.name: _median(metric.name, values) for metric, _ in all_of_them[0].metrics}
    hits = [sum(one.get(name) == middle for name, middle in middles.items()) for one in values]
    chosen = all_of_them[hits.index(max(hits))]
    fact = f"measured {len(all_of_them)} times, since {', '.join(odd)} looked changed; the middle values count"
    metrics = tuple((metric, middles[metric.name]) for metric, _ in all_of_them[0].metrics)
    return replace(chosen, metrics=metrics, facts=(*chosen.facts, fact))


def _median(name: str, values: Sequence[Mapping[str, float | None]]) -> float | None:
    """Returns one of the values; None if some measurement has none."""
    known = [value for one in values if (value := one.get(name)) is not None]
    return statistics.median(known) if len(known) == len(values) else values[0].get(name)
