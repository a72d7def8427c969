# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chooses the nights of a baseline, and says what it will find."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from functools import lru_cache
from typing import Protocol

from tuner.check_statistics.power import least_change, limits
from tuner.check_statistics.series import LEAST_BASELINE
from tuner.checks.kind import KINDS
from tuner.checks.observation import MetricKind
from tuner.checks.repetition import judged_as
from tuner.checks.run_check import options_digest
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun
from tuner.checks.store.night_values import accepted_runs, last_regime, series_of, values_by_night
from tuner.documents.check import Check
from tuner.documents.check_kinds import KindOptions
from tuner.errors import BadInputError

_LARGEST_FACTOR = 1000.0
"""A change by a larger factor is none that a metric can have."""
NIGHTS = (1, 3, 7)
"""Nights after which it is said which change is found."""
_least_change = lru_cache(maxsize=64)(least_change)


class Observed(Protocol):
    """The part of a run that the choice of nights looks at."""

    @property
    def date(self) -> date: ...

    @property
    def observed(self) -> bool: ...


@dataclass(frozen=True, kw_only=True)
class Found:
    """The least bad change of a metric that is found with 90 %, by the number of nights: the value that it reaches, in the
    metric's unit; None if no change is found by then. `middle`: of the baseline."""

    name: str
    unit: str
    middle: float
    values: dict[int, float | None]


def chosen_nights(runs: Sequence[Observed], *, last: int | None, first: date | None, until: date | None) -> list[date]:
    """Returns the last so many nights, or those from `first` to `until`, that have a run of which something was observed.

    Raises BadInputError for fewer than 5, and for a choice that is not one of the two.
    """
    if (last is None) == (first is None and until is None):
        raise BadInputError("give either --last N, or --from and --to: the nights to accept")
    nights = sorted({run.date for run in runs if run.observed})
    if last is not None:
        nights = nights[-last:] if last > 0 else []
    else:
        nights = [night for night in nights if (first is None or first <= night) and (until is None or night <= until)]
    if len(nights) < LEAST_BASELINE:
        raise BadInputError(f"{len(nights)} of these nights were observed; a baseline needs at least {LEAST_BASELINE}")
    return nights


def found_changes(check: Check, runs: Sequence[NightRun], baseline: Baseline) -> list[Found]:
    """Returns what is found of each metric of the baseline that has enough values. Takes about a second of CPU for each kind of
    noise among the metrics, once in a process."""
    series = {}
    kinds: dict[str, MetricKind] = {}
    for entry in check.kinds:
        digest = options_digest(check, entry)
        for metric in (judged_as(one, entry) for one in KINDS.get(entry.kind).metrics):
            name = f"{entry.entry}.{metric.name}"
            mine = baseline.of(name)
            accepted = accepted_runs(runs, mine)
            values = values_by_night(accepted, entry.entry, metric.name, digest, last_regime(accepted, entry.entry))
            if metric.assumptions is not None and len(values) >= LEAST_BASELINE:
                kinds[name] = metric
                series[name] = series_of(values, {}, mine, mine.nights[-1], metric)
    changes: dict[object, dict[int, float | None]] = {}
    found = []
    for name, series_of_run in series.items():
        noise = (
            series_of_run.count,
            series_of_run.assumptions.tails,
            series_of_run.assumptions.correlation,
            series_of_run.assumptions.jobs,
        )
        if noise not in changes:
            changes[noise] = _least_change(
                series_of_run.count,
                len(series),
                series_of_run.assumptions,
                alarm_probability=check.alarm_probability,
                nights=NIGHTS,
            )
        bad = 0 if kinds[name].better == "more" else 1
        middle = limits(series_of_run, 0.0)[0]
        reached = {count: None if size is None else limits(series_of_run, size)[bad] for count, size in changes[noise].items()}
        values_reached = {count: value if _possible(middle, value) else None for count, value in reached.items()}
        found.append(Found(name=name, unit=kinds[name].unit, middle=middle, values=values_reached))
    return found


def metrics_with_few_values(check: Check, runs: Sequence[NightRun], baseline: Baseline) -> list[str]:
    """Returns the metrics that the accepted nights have some values of, and too few to judge them: those that compare a night
    with an earlier one have none in the first night of all."""
    return [
        f"{entry.entry}.{metric.name}"
        for entry in check.kinds
        for metric in KINDS.get(entry.kind).metrics
        if metric.assumptions is not None and 0 < _accepted_values(check, entry, metric, runs, baseline) < LEAST_BASELINE
    ]


def _accepted_values(check: Check, entry: KindOptions, metric: MetricKind, runs: Sequence[NightRun], baseline: Baseline) -> int:
    accepted = accepted_runs(runs, baseline.of(f"{entry.entry}.{metric.name}"))
    return len(values_by_night(accepted, entry.entry, metric.name, options_digest(check, entry)))


def require_known(check: Check, only: Sequence[str]) -> tuple[str, ...]:
    """Returns entries and metrics of a check that a person names, each once. Raises BadInputError for one that it does not
    have."""
    entries = {entry.entry: KINDS.get(entry.kind) for entry in check.kinds}
    metrics = [f"{name}.{one.name}" for name, kind in entries.items() for one in kind.metrics if one.assumptions is not None]
    for chosen in only:
        if chosen not in entries and chosen not in metrics:
            raise BadInputError(f"check '{check.name}' judges no '{chosen}'; it has {', '.join([*entries, *metrics])}")
    return tuple(dict.fromkeys(only))


def _possible(middle: float, value: float | None) -> bool:
    """No metric is below 0."""
    return value is not None and value >= 0 and (middle <= 0 or value <= _LARGEST_FACTOR * middle)
