# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdicts on all metrics: which have changed since their baselines, since when, and by how much."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.onset import onset
from tuner.check_statistics.series import Series
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR, threshold
from tuner.check_statistics.whitening import Array

_CONFIDENCE = 0.95


@dataclass(frozen=True)
class Interval:
    """A value that is with 95 % between `low` and `high`."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class Change:
    """`kind`: "step" or "drift". `since`: the most probable first changed night, an index of the series' nights, with 95 %
    between `since_low` and `since_high`. `before`, `after`: the middle before the change and on the last night, `shift`: after
    less before; all in the metric's units."""

    kind: str
    since: int
    since_low: int
    since_high: int
    before: Interval
    after: Interval
    shift: Interval


@dataclass(frozen=True)
class Judgement:
    """`evidence`: the greatest statistic so far over the threshold, as a logarithm to base 10; the alarm is raised at 0 and above
    and stays until somebody accepts another baseline. Far above 0 it is rough. -inf if there is no night yet. `latest`: the same
    of the last night. `alarmed_on`: the night on which the alarm was raised, an index of the series' nights. `change` is there
    after an alarm, as of the night with the greatest evidence: a change that has gone again is told as it was."""

    evidence: float
    latest: float
    changed: bool
    alarmed_on: int | None
    change: Change | None


def judge(
    series: Mapping[str, Series], *, alarm_probability: float = ALARM_PROBABILITY, nights_a_year: int = NIGHTS_A_YEAR
) -> dict[str, Judgement]:
    """Returns the verdict on each metric. The chance of any false alarm within a year after the baselines were accepted, over all
    of `series`, is at most `alarm_probability`, if the assumptions hold. Raises BadInputError as threshold does."""
    if not series:
        return {}
    limit = float(np.log(threshold(len(series), alarm_probability, nights_a_year)))
    alike: dict[object, list[str]] = {}
    for name, one in series.items():
        key = (one.count, tuple(one.positions()), one.assumptions.rhos, one.assumptions.freedom)
        alike.setdefault(key, []).append(name)
    judged: dict[str, Judgement] = {}
    for names in alike.values():
        first = series[names[0]]
        values = np.stack([series[name].scaled() for name in names])
        resolutions = np.array([series[name].assumptions.resolution for name in names])
        paths = log_evidence(
            values, first.positions(), first.count, resolutions, first.assumptions.rhos, first.assumptions.freedom
        )
        judged |= {name: _judgement(series[name], path - limit) for name, path in zip(names, paths, strict=True)}
    return {name: judged[name] for name in series}


def _judgement(series: Series, path: Array) -> Judgement:
    """`path`: the logarithm of the statistic over the threshold after each night that has a value."""
    if not len(path):
        return Judgement(-np.inf, -np.inf, False, None, None)
    alarms = np.flatnonzero(path >= 0)
    evidence, latest = float(path.max() / np.log(10)), float(path[-1] / np.log(10))
    if not len(alarms):
        return Judgement(evidence, latest, False, None, None)
    alarmed_on = int(series.positions()[series.count + alarms[0]]) - len(series.baseline)
    return Judgement(evidence, latest, True, alarmed_on, _change(series, series.count + int(path.argmax()) + 1))


def _change(series: Series, count: int) -> Change:
    """Returns the change as the first `count` values have it."""
    assumed = series.assumptions
    seen, middle, spread = standardized(series.scaled()[None, :count], series.count, np.array([assumed.resolution]))
    found = onset(
        seen[0],
        series.positions()[:count],
        series.count,
        assumed.resolution / float(spread[0]),
        assumed.rhos,
        assumed.freedom,
    )
    before, after = (assumed.row.backward(middle + draws * spread) for draws in (found.before, found.after))
    low, high = (int(night) - len(series.baseline) for night in _middle_part(found.since.astype(float)))
    since = found.most - len(series.baseline)
    intervals = (_interval(draws) for draws in (before, after, after - before))
    return Change(found.kind, since, min(low, since), max(high, since), *intervals)


def _interval(draws: Array) -> Interval:
    low, high = _middle_part(draws)
    return Interval(float(np.median(draws)), float(low), float(high))


def _middle_part(draws: Array) -> Array:
    tail = (1 - _CONFIDENCE) / 2
    return np.asarray(np.quantile(draws, [tail, 1 - tail], method="inverted_cdf"))
