# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The verdicts on all metrics: which have changed since their baselines, since when, and by how much."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tuner.check_statistics.evidence import log_evidence, standardized
from tuner.check_statistics.onset import onset
from tuner.check_statistics.rolling import OVERLAP, Part, parts, shift_of
from tuner.check_statistics.series import Series
from tuner.check_statistics.threshold import ALARM_PROBABILITY, NIGHTS_A_YEAR, threshold
from tuner.check_statistics.whitening import Array

_CONFIDENCE = 0.95
_LOG_10 = float(np.log(10))


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
    for name, series_of_run in series.items():
        assumed = series_of_run.assumptions
        shape = (series_of_run.count, len(series_of_run.baseline), tuple(series_of_run.positions()), series_of_run.moves is None)
        alike.setdefault((shape, assumed.rhos, assumed.freedom, assumed.jobs), []).append(name)
    judged: dict[str, Judgement] = {}
    for names in alike.values():
        judged |= _judged([(name, series[name]) for name in names], limit)
    return {name: judged[name] for name in series}


@dataclass
class _Path:
    """What is known of a series by now: the greatest and the last statistic over the threshold, and the part with the first
    alarm, with the index of its value."""

    greatest: float = -np.inf
    latest: float = -np.inf
    alarm: tuple[int, Part] | None = None

    def add(self, part: Part, path: Array) -> None:
        self.greatest, self.latest = max(self.greatest, float(path.max())), float(path[-1])
        alarms = np.flatnonzero(path >= 0)
        if len(alarms) and (self.alarm is None or part.begin + alarms[0] < self.alarm[0]):
            self.alarm = part.begin + int(alarms[0]), part


def _judged(alike: Sequence[tuple[str, Series]], limit: float) -> dict[str, Judgement]:
    """Of series whose values are of the same nights, with the same noise."""
    limit += 0.0 if alike[0][1].moves is None else float(np.log(OVERLAP))
    paths = {name: _Path() for name, _ in alike}
    for part in parts(alike[0][1]):
        # The part after one with an alarm may have an earlier one; later ones cannot.
        left = [(name, one) for name, one in alike if (alarm := paths[name].alarm) is None or alarm[0] >= part.begin]
        for (name, _), path in zip(left, _paths([one for _, one in left], part), strict=True):
            paths[name].add(part, path - limit)
    return {name: _judgement(one, paths[name], limit) for name, one in alike}


def _paths(series: Sequence[Series], part: Part) -> Array | list[Array]:
    """Returns the logarithm of the statistic after each value of the part."""
    if not series:
        return []
    first, assumed = series[0], series[0].assumptions
    values = np.stack([_compared(one, part) for one in series])
    resolutions = np.array([one.assumptions.resolution for one in series])
    positions = first.positions()[part.first : part.end]
    count = part.begin - part.first
    return log_evidence(values, positions, count, resolutions, assumed.rhos, assumed.freedom, jobs=assumed.jobs)


def _compared(series: Series, part: Part) -> Array:
    values = series.scaled()
    compared = values[part.first : part.end].copy()
    compared[: part.begin - part.first] += shift_of(series, values, part)
    return compared


def _judgement(series: Series, seen: _Path, limit: float) -> Judgement:
    """After an alarm, the nights stay compared with what they were compared with then."""
    if seen.alarm is None:
        return Judgement(seen.greatest / _LOG_10, seen.latest / _LOG_10, False, None, None)
    at, raised = seen.alarm
    part = Part(raised.first, raised.begin, len(series.positions()))
    (path,) = _paths([series], part)
    path = path - limit
    path[at - part.begin] = max(path[at - part.begin], 0.0)  # the grid of more nights is another one
    evidence, latest = float(path.max()) / _LOG_10, float(path[-1]) / _LOG_10
    alarmed_on = int(series.positions()[at]) - len(series.baseline)
    until = part.begin + int(path.argmax()) + 1
    return Judgement(evidence, latest, True, alarmed_on, _change(series, Part(part.first, part.begin, max(until, at + 1))))


def _change(series: Series, part: Part) -> Change:
    """Returns the change as the values of the part have it."""
    assumed, count = series.assumptions, part.begin - part.first
    compared = _compared(series, part)
    seen, middle, spread = standardized(compared[None], count, np.array([assumed.resolution]))
    found = onset(
        seen[0],
        series.positions()[part.first : part.end],
        count,
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
