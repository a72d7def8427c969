# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The values of one metric by night, as a history has them."""

import statistics
from collections.abc import Iterable, Sequence
from datetime import date, timedelta

from tuner.check_statistics.series import Series
from tuner.checks.observation import MetricKind
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun


def accepted_runs(runs: Sequence[NightRun], baseline: Baseline) -> list[NightRun]:
    """Returns the runs that the baseline has, in their order."""
    return [run for run in runs if baseline.has(run.date, run.number)]


def values_by_night(
    runs: Iterable[NightRun], entry: str, metric: str, options: str, regime: str | None = None
) -> dict[date, float]:
    """Returns the nights that have a value that is judged. `runs`: those of one date by their numbers; of several, the last one
    in which the entry was run counts. `options`: the digest of the entry's options; values of others are left out, and so are
    those under another profile than `regime`, if that is known of both."""
    values: dict[date, float | None] = {}
    for run in runs:
        for entry_run in run.entries:
            comparable = regime is None or entry_run.regime is None or entry_run.regime == regime
            if entry_run.name == entry and entry_run.is_learnt and entry_run.options == options and comparable:
                values[run.date] = entry_run.values.get(metric)
    return {night: value for night, value in values.items() if value is not None}


def last_regime(runs: Sequence[NightRun], entry: str) -> str | None:
    """Profile that an entry was measured under in the last of these runs that knows it."""
    known = [one.regime for run in runs for one in run.entries if one.name == entry and one.regime is not None]
    return known[-1] if known else None


def series_of(
    baseline: dict[date, float],
    since: dict[date, float],
    accepted: Baseline,
    until: date,
    metric: MetricKind,
    follow: float = 0.0,
) -> Series:
    """Returns the series of a metric from the first accepted night to `until`; nights that were missed or not accepted have None.
    `follow`: the share of the least effect by which the normal may move with the nights, 0: not at all. Raises BadInputError for
    a baseline of fewer than 5 values."""
    first, last = accepted.nights[0], accepted.nights[-1]
    return Series(
        baseline=[baseline.get(night) if night in accepted.nights else None for night in _days(first, last)],
        nights=[since.get(night) for night in _days(last, until)[1:]],
        assumptions=metric.noise,
        moves=follow * metric.least(statistics.median(baseline.values())) if follow and baseline else None,
    )


def _days(first: date, last: date) -> list[date]:
    return [first + timedelta(days=i) for i in range((last - first).days + 1)]
