# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Chooses values for devices and a fan-in that nobody knows, by the criterion of a campaign's scenarios and in no trial.

A scenario is a device model with a number of contributors, from two to twice what is expected (`fan_ins`). It is served by
forecast where victims are cured and contributors keep what campaigns ask for. Candidates have a CCTI_Timer for each of these
numbers, a table that ends there, and CCTI_Increase 1, the finest steps. In this order they

1. cure victims in the most scenarios with as many contributors as are expected,
2. serve the most of these,
3. serve the most of all scenarios,
4. cure victims in the most,
5. cost contributors the least in the worst scenario of those that they cure, within NEAR,
6. let contributors recover the soonest.
"""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from tuner.suggest import rule
from tuner.suggest.forecast import SURE_ROOM, Verdict, fan_ins, forecast, notifiers
from tuner.suggest.notifier import Notifier
from tuner.suggest.suggestion import Suggestion

INCREASE = 1
ROOM = SURE_ROOM * 1.001
"""Room of a table with the most contributors that it is for: enough, also when its full scale is rounded to four digits."""
MARK_EVERY = (1, 2, 3, 4, 6, 8, 10, 13, 16, 20, 26, 32, 40, 64)
"""Marking_Rate + 1 of candidates."""
NEAR = 0.01
"""Part of their throughput in which contributors' costs count as equal, as campaigns have it for the shares of two profiles."""


@dataclass(frozen=True, kw_only=True)
class _Candidate:
    values: rule.Values
    rank: tuple[int, int, int, int]
    """Numbers of scenarios, negative: cured and served with as many contributors as are expected, served and cured of all."""
    worst_cost: float
    """Over the scenarios in which victims are cured."""


def robust(suggestion: Suggestion) -> Suggestion:
    """Returns the suggestion with values that serve the most scenarios by forecast. One without adapters of annex A10's is
    returned as it is: no rule forecasts DCQCN."""
    if not suggestion.kinds.a10:
        return suggestion
    numbers, models = fan_ins(suggestion), Counter(notifiers(suggestion).values())
    candidates = [_candidate(suggestion, values, numbers, models) for values in _all_values(suggestion, numbers)]
    first = min(candidate.rank for candidate in candidates)
    equals = [candidate for candidate in candidates if candidate.rank == first]
    least = min(candidate.worst_cost for candidate in equals)
    near = [candidate for candidate in equals if candidate.worst_cost <= least + NEAR]
    chosen = min(near, key=lambda candidate: (candidate.values.ccti_timer, candidate.worst_cost))
    return suggestion.with_values(chosen.values)


def _all_values(suggestion: Suggestion, numbers: Sequence[int]) -> Iterator[rule.Values]:
    """Where adapters that run DCQCN live on the same marks, Marking_Rate stays as it is."""
    path = suggestion.path
    mark_every = (suggestion.values.mark_every,) if suggestion.kinds.dcqcn else MARK_EVERY
    for number in numbers:
        full_scale = _full_scale(path.pause_packet_times(number))
        for slowest in numbers:
            for every in mark_every:
                between_ns = max(one.slowest_ns(path.gap_ns(slowest), every) for one in suggestion.notifiers)
                yield replace(
                    suggestion.values,
                    marking_rate=every - 1,
                    ccti_timer=rule.timer_units(between_ns, INCREASE, suggestion.expected.balance),
                    ccti_increase=INCREASE,
                    full_scale_packet_times=full_scale,
                )


def _full_scale(pause_packet_times: float) -> float:
    """Returns the delay at AT_INDEX of a table whose end has ROOM for contributors with such a pause."""
    at_limit = ROOM * (pause_packet_times + 1) - 1
    return rule.full_scale_packet_times(at_limit / (rule.CCTI_LIMIT / rule.AT_INDEX) ** rule.EXPONENT, room=1)


def _candidate(suggestion: Suggestion, values: rule.Values, numbers: Sequence[int], models: Mapping[Notifier, int]) -> _Candidate:
    """`models`: device models by how their adapters notify."""
    # Only the values decide a forecast: the profile and the reasons are made for those that are chosen.
    tried = replace(suggestion, values=values)
    low, high = suggestion.contributors
    cured: Counter[bool] = Counter()
    served: Counter[bool] = Counter()
    worst_cost = 0.0
    for notifier, alike in models.items():
        for number in numbers:
            ahead = forecast(tried, number, notifier)
            if ahead.verdict is Verdict.CURES:
                is_expected = low <= number <= high
                cured[is_expected] += alike
                served[is_expected] += alike * (ahead.losers is None)
                worst_cost = max(worst_cost, ahead.cost_at_most)
    rank = (-cured[True], -served[True], -served.total(), -cured.total())
    return _Candidate(values=values, rank=rank, worst_cost=worst_cost)
