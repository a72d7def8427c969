# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Alarms of metrics that end by themselves: after some nights in which the metric was as before.

What comes later is judged anew, with the nights up to then left out. So a second fault has its own first night and its own
numbers, and a fault that was repaired is not told for ever.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from tuner.check_statistics.judgement import Judgement, judge
from tuner.check_statistics.series import Series
from tuner.checks.observation import MetricKind

NIGHTS = 3
"""Nights with a value, one after the other, that are as before the change."""


@dataclass(frozen=True)
class Judged:
    """`judgements`: of the nights since the last alarm ended. `ended_on`: the night on which it ended, an index of the series'
    nights; of metrics that had one."""

    judgements: Mapping[str, Judgement]
    ended_on: Mapping[str, int]


def judged(series: Mapping[str, Series], metrics: Mapping[str, MetricKind], *, alarm_probability: float) -> Judged:
    """Returns what `judge` finds, after the alarms that have ended. The stated chance of a false alarm holds anew after each of
    these. `metrics`: by the same names."""
    left, ended_on = dict(series), dict[str, int]()
    while True:
        judgements = judge(left, alarm_probability=alarm_probability)
        ended = {
            name: night
            for name, judgement in judgements.items()
            if (night := _ended_on(metrics[name], left[name], judgement)) is not None
        }
        if not ended:
            return Judged(judgements, ended_on)
        ended_on |= ended
        for name, night in ended.items():
            left[name] = replace(left[name], nights=[*[None] * (night + 1), *left[name].nights[night + 1 :]])


def _ended_on(metric: MetricKind, series: Series, one: Judgement) -> int | None:
    if one.change is None or one.alarmed_on is None:
        return None
    before, shift = one.change.before.value, one.change.shift.value
    as_before = 0
    for night, value in enumerate(series.nights[one.alarmed_on + 1 :], start=one.alarmed_on + 1):
        if value is not None:
            as_before = 0 if metric.shows(value, before, shift) else as_before + 1
            if as_before == NIGHTS:
                return night
    return None
