# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs that get less than they are to, measured again, and each of their hosts with another partner: what of the three is slow
says whether it is the sender, the receiver, or a link between them."""

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np

from tuner.checks.sweep.paths import MESSAGE_BYTES, Pair, Paths
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement

SLOW = 0.92
"""Share of its rate below which a pair may be slow."""
_SPREADS = 6.0
"""Standard deviations of tonight's other pairs below their middle from which on it is."""
MOST = 16
"""Pairs that are measured again in a night; of more, those with the least. Nothing is concluded of the others."""
_FEW = 4
"""Pairs of a kind that are too few to say what is usual."""
_SAMPLES = 10
_WARM_UP = 2
"""Samples at the beginning that do not count."""

Where: TypeAlias = Literal["sender", "receiver", "link"]


@dataclass(frozen=True)
class Slow:
    """`share`: of what the pair is to send, in the second measurement. `rate_gbps`: that."""

    pair: Pair
    rate_gbps: float
    share: float
    where: tuple[Where, ...]


def workload(
    pairs: Sequence[Pair], rates_gbps: Sequence[float], windows: Sequence[int], *, fabric: str, seconds: float
) -> Workload:
    """`windows`: number of the time in which each pair sends, from 0; they follow each other."""
    flows = [
        {
            "name": f"pair-{i + 1}",
            "src": pair.src,
            "dst": pair.dst,
            "message_bytes": MESSAGE_BYTES,
            "rate_gbps": round(rate, 6),
            "start_s": round(window * seconds, 9),
            "stop_s": round((window + 1) * seconds, 9),
        }
        for i, (pair, rate, window) in enumerate(zip(pairs, rates_gbps, windows, strict=True))
    ]
    duration_s = round((max(windows) + 1) * seconds, 9)
    head = {"ibcc_workload": 1, "name": "sweep", "fabric": fabric, "duration_s": duration_s}
    return Workload.model_validate(head | {"sample_interval_s": round(seconds / _SAMPLES, 9), "flows": flows})


def shares(measurement: Measurement, rates_gbps: Sequence[float], windows: Sequence[int]) -> list[float]:
    """Returns what each pair got of its rate, in its window."""
    return [
        float(np.mean(row[window * _SAMPLES + _WARM_UP : (window + 1) * _SAMPLES])) / rate
        for row, rate, window in zip(measurement.gbps, rates_gbps, windows, strict=True)
    ]


def windows_of(paths: Paths, pairs: Sequence[Pair]) -> list[int]:
    """Returns when each pair sends: neighbours at a switch by themselves, as they are asked for more and vary less; all at once
    where there are few of either."""
    crosses = [bool(paths.inner(pair)) for pair in pairs]
    few = min(sum(crosses), len(crosses) - sum(crosses)) < _FEW
    return [0 if few else int(one) for one in crosses]


def slow_ones(found: Sequence[float], windows: Sequence[int]) -> list[int]:
    """Returns the pairs that get less than they are to, and than the others of their window: those with the least first, of which
    MOST are measured again."""
    odd = []
    for window in set(windows):
        mine = [one for one, other in zip(found, windows, strict=True) if other == window]
        middle = statistics.median(mine)
        spread = 1.4826 * statistics.median(abs(one - middle) for one in mine)
        odd += [i for i, one in enumerate(found) if windows[i] == window and one < min(SLOW, middle - _SPREADS * spread)]
    return sorted(odd, key=lambda i: found[i])


def probes(paths: Paths, pairs: Sequence[Pair], slow: Sequence[int]) -> list[Pair]:
    """Returns three for each of the first MOST slow pairs: itself, its sender with another receiver, and another sender with its
    receiver; partners are hosts of pairs that are not slow, on other ways where there are some."""
    good = [pair for i, pair in enumerate(pairs) if i not in set(slow)] or list(pairs)
    found = []
    for number, i in enumerate(slow[:MOST]):
        pair, ways = pairs[i], set(paths.inner(pairs[i]))
        turned = [*good[number % len(good) :], *good[: number % len(good)]]
        from_it = _apart(ways, paths, [paths.pair(*paths.find_two(pair.src, one.dst)) for one in turned], pair)
        to_it = _apart(ways, paths, [paths.pair(*paths.find_two(one.src, pair.dst)) for one in turned], pair)
        found += [pair, from_it, to_it]
    return found


def rates_in(windows: Sequence[int], paths: Paths, pairs: Sequence[Pair]) -> list[float]:
    """Returns what each pair is to send while those of its window do."""
    rates = [0.0] * len(pairs)
    for window in set(windows):
        mine = [i for i, one in enumerate(windows) if one == window]
        for i, rate in zip(mine, paths.rates_gbps([pairs[i] for i in mine]), strict=True):
            rates[i] = rate
    return rates


def places(slow: Sequence[Pair], rates_gbps: Sequence[float], found: Sequence[float]) -> list[Slow]:
    """`rates_gbps`, `found`: of the probes, three for each. A pair that is slow no more is left out."""
    result = []
    for number, pair in enumerate(slow):
        again, from_it, to_it = found[3 * number : 3 * number + 3]
        if again < SLOW:
            ends: list[Where] = []
            if from_it < SLOW:
                ends.append("sender")
            if to_it < SLOW:
                ends.append("receiver")
            result.append(Slow(pair, rates_gbps[3 * number], again, tuple(ends) or ("link",)))
    return result


def _apart(ways: set[tuple[int, int]], paths: Paths, candidates: Sequence[Pair | None], otherwise: Pair) -> Pair:
    """The candidate that shares the fewest ways between switches, and of several the one with the fewest of its own."""
    there = [one for one in candidates if one is not None and one != otherwise]
    return min(there, key=lambda one: (len(ways.intersection(inner := paths.inner(one))), len(inner)), default=otherwise)


def suspected_ways(paths: Paths, slow: Sequence[Slow], good: Sequence[Pair]) -> dict[Pair, list[tuple[int, int]]]:
    """Returns, for each pair of which a link is slow, the ports between switches that no good pair went through; all if there are
    none such."""
    clear = {way for pair in good for way in pair.ways}
    found = {}
    for one in slow:
        if "link" in one.where:
            inner = list(paths.inner(one.pair)) or list(one.pair.ways)
            found[one.pair] = [way for way in inner if way not in clear] or inner
    return found


def percent(share: float) -> str:
    return f"{100 * min(share, 1.0):.0f} %" if math.isfinite(share) else "–"
