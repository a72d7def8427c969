# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs that get less than they are to, measured again, and each of their hosts with another partner: what of the three is slow
says whether it is the sender, the receiver, or a link between them.

Pairs that send at the same time share no link, so each is asked for all that its way carries. What counts is what a pair gets at
its best: other tenants and congestion control take from it for a while, and a host or link that lost a part never has it.
"""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from tuner.checks.sweep.paths import MESSAGE_BYTES, Pair, Paths
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement

SLOW = 0.92
"""Share of its rate below which a pair may be slow."""
_SPREADS = 6.0
"""Standard deviations of tonight's pairs of its kind below their middle from which on it is."""
FEW = 8
"""Pairs of a kind that are too few to say what is usual."""
_BELOW, _NORMAL = 0.3, 0.524
"""Share of pairs that are below what the standard deviation is read from, and its distance from the middle. The lower side alone
counts: other traffic only takes. Faults may have up to that share."""
MOST = 48
"""Pairs that are measured again in a night; of more, those with the least. Nothing is concluded of the others."""
ROUNDS = 2
"""Times that slow pairs are measured again; the best counts."""
MOST_WINDOWS = 8
"""Times, one after the other, in which the pairs of a night send, and those of a round that measures again."""
MOST_AT_ONCE = 1200
"""Pairs of one measurement, of which an emulated fabric reports in one message of at most 1 MiB."""
_MOST_BESIDE = 200
"""Other pairs that send in each window of those that measure again."""
_SAMPLES = 10
_WARM_UP, _BEST = 2, 4
"""Samples at the beginning that do not count, and of the others those that do: the best that follow each other."""

Where: TypeAlias = Literal["sender", "receiver", "link"]
_ENDS: tuple[Where, Where] = ("sender", "receiver")
Limits: TypeAlias = Mapping[bool, float]


@dataclass(frozen=True)
class Slow:
    """`share`: of what the pair is to send, in the second measurement, or of what an end of it is to with another partner.
    `rate_gbps`: that. `again`: the pair itself was slow again."""

    pair: Pair
    rate_gbps: float
    share: float
    where: tuple[Where, ...]
    again: bool = True


def workload(
    pairs: Sequence[Pair], rates_gbps: Sequence[float], windows: Sequence[int], *, fabric: str, seconds: float
) -> Workload:
    """`windows`: number of the time in which each pair sends; they follow each other."""
    first = min(windows)
    flows = [
        {
            "name": f"pair-{i + 1}",
            "src": pair.src,
            "dst": pair.dst,
            "message_bytes": MESSAGE_BYTES,
            "rate_gbps": round(rate, 6),
            "start_s": round((window - first) * seconds, 9),
            "stop_s": round((window - first + 1) * seconds, 9),
        }
        for i, (pair, rate, window) in enumerate(zip(pairs, rates_gbps, windows, strict=True))
    ]
    duration_s = round((max(windows) - first + 1) * seconds, 9)
    head = {"ibcc_workload": 1, "name": "sweep", "fabric": fabric, "duration_s": duration_s}
    return Workload.model_validate(head | {"sample_interval_s": round(seconds / _SAMPLES, 9), "flows": flows})


def shares_of(measurement: Measurement, rates_gbps: Sequence[float], windows: Sequence[int]) -> list[float]:
    """Returns what each pair got of its rate, at best, in its window."""
    first = min(windows)
    starts = ((window - first) * _SAMPLES for window in windows)
    own = (row[start + _WARM_UP : start + _SAMPLES] for row, start in zip(measurement.gbps, starts, strict=True))
    return [float(sliding_window_view(row, _BEST).mean(axis=1).max()) / rate for row, rate in zip(own, rates_gbps, strict=True)]


def windows_of(paths: Paths, pairs: Sequence[Pair], most: int = MOST_WINDOWS) -> list[int]:
    """Returns when each pair sends: beside others of its kind, neighbours or not, with which it shares no link in its direction;
    or, where that takes more than `most` windows, in the one in which the fewest do. Hosts that are idle let other traffic
    through in bursts, so neighbours send when all others do."""
    over: list[tuple[bool, Counter[tuple[int, int]]]] = []
    found = []
    for pair in pairs:
        crosses = bool(paths.inner(pair))
        shared = {i: sum(ways[way] for way in pair.ways) for i, (kind, ways) in enumerate(over) if kind == crosses}
        chosen = min(shared, key=shared.__getitem__, default=len(over))
        if not shared or (shared[chosen] and len(over) < most):
            over.append((crosses, Counter()))
            chosen = len(over) - 1
        over[chosen][1].update(pair.ways)
        found.append(chosen)
    return found


def probe_windows(paths: Paths, tried: Sequence[Pair]) -> list[int]:
    """Returns when each of the pairs that `probes` returns sends: the slow pairs themselves after all others, as a sender is held
    up by what it still has for a receiver that takes nothing."""
    last = windows_of(paths, tried[::3], MOST_WINDOWS // 2)
    first = windows_of(paths, [pair for i, pair in enumerate(tried) if i % 3], MOST_WINDOWS - 1 - max(last))
    after, partners = max(first) + 1, iter(first)
    return [next(partners) if i % 3 else after + last[i // 3] for i in range(len(tried))]


def in_parts(windows: Sequence[int]) -> list[list[int]]:
    """Returns the indices of pairs that are measured at once, window after window."""
    order = sorted(range(len(windows)), key=windows.__getitem__)
    return [order[first : first + MOST_AT_ONCE] for first in range(0, len(order), MOST_AT_ONCE)]


def beside(pairs: Sequence[Pair], windows: Sequence[int], others: Sequence[Pair]) -> tuple[list[Pair], list[int]]:
    """Returns the pairs with those others in each window that share no link with any in it, so that all hosts send as they did
    when the pairs were found slow."""
    every, when = list(pairs), list(windows)
    for window in range(max(windows) + 1):
        ways = {way for pair, one in zip(pairs, windows, strict=True) if one == window for way in pair.ways}
        for pair in others[:_MOST_BESIDE]:
            if ways.isdisjoint(pair.ways):
                ways.update(pair.ways)
                every.append(pair)
                when.append(window)
    return every, when


def limits(paths: Paths, pairs: Sequence[Pair], found: Sequence[float]) -> dict[bool, float]:
    """Returns the shares below which pairs are slow that do not cross switches, and that do."""
    least = dict.fromkeys((False, True), SLOW)
    for crosses in least:
        mine = [share for share, pair in zip(found, pairs, strict=True) if bool(paths.inner(pair)) == crosses]
        if len(mine) >= FEW:
            low, middle = np.quantile(mine, [_BELOW, 0.5])
            least[crosses] = min(SLOW, float(middle - _SPREADS * (middle - low) / _NORMAL))
    return least


def probes(paths: Paths, slow: Mapping[Pair, float], good: Sequence[Pair]) -> list[Pair]:
    """Returns three for each slow pair: itself, its sender with another receiver, and another sender with its receiver; partners
    are other machines of good pairs: such as are asked for more than the pair got, on other ways where there are some, and other
    ones for each. `slow`: with the Gb/s that they got."""
    found, taken = list[Pair](), (Counter[tuple[int, int]](), Counter[tuple[int, int]]())
    for number, (pair, got) in enumerate(slow.items()):
        ways, partners = set(paths.inner(pair)), good or list(slow)
        turned = [*partners[number % len(partners) :], *partners[: number % len(partners)]]
        src, dst = (paths.machine(one) for one in (pair.src, pair.dst))
        from_it = [paths.pair(*paths.find_two(pair.src, one.dst)) for one in turned if paths.machine(one.dst) != dst]
        to_it = [paths.pair(*paths.find_two(one.src, pair.dst)) for one in turned if paths.machine(one.src) != src]
        found += [pair, *(_apart(ways, paths, *one, pair, got) for one in zip((from_it, to_it), taken, strict=True))]
    return found


def rates_in(windows: Sequence[int], paths: Paths, pairs: Sequence[Pair]) -> list[float]:
    """Returns what each pair is to send while those of its window do."""
    rates = [0.0] * len(pairs)
    for window in set(windows):
        mine = [i for i, one in enumerate(windows) if one == window]
        for i, rate in zip(mine, paths.rates_gbps([pairs[i] for i in mine]), strict=True):
            rates[i] = rate
    return rates


def of_rounds(found: Sequence[float], count: int) -> tuple[list[float], list[float]]:
    """Returns the best and the worst that each of the first `count` pairs got in the rounds, which follow each other."""
    each = len(found) // ROUNDS
    return [max(found[i::each]) for i in range(count)], [min(found[i::each]) for i in range(count)]


def places(
    paths: Paths,
    probes: Sequence[Pair],
    rates: Sequence[float],
    found: Sequence[float],
    worst: Sequence[float],
    least: Limits,
) -> list[Slow]:
    """`probes`: three for each slow pair, with their `rates` in Gb/s and what they `found`, best and `worst`. A pair that is slow
    no more is left out, unless it was in one round, and one of its ends is with another partner in all of them; and so are
    neighbours of which both are cleared. A host is cleared by another partner with whom it has its rate, if that is more than
    what the pair got."""
    gbps = [share * rate for share, rate in zip(found, rates, strict=True)]
    result = []
    for i in range(0, len(probes), 3):
        if found[i] < least[bool(paths.inner(probes[i]))]:
            ends = tuple(end for end, at in zip(_ENDS, (i + 1, i + 2), strict=True) if found[at] < SLOW or gbps[at] <= gbps[i])
            if ends or paths.inner(probes[i]):
                result.append(Slow(probes[i], rates[i], found[i], ends or ("link",)))
        elif worst[i] < least[bool(paths.inner(probes[i]))]:
            slow = [at for at in (i + 1, i + 2) if found[at] < least[bool(paths.inner(probes[at]))]]
            if len(slow) == 1:
                at = slow[0]
                result.append(Slow(probes[i], rates[at], found[at], (_ENDS[at - i - 1],), again=False))
    return result


def _apart(
    ways: set[tuple[int, int]],
    paths: Paths,
    candidates: Sequence[Pair | None],
    taken: Counter[tuple[int, int]],
    otherwise: Pair,
    got_gbps: float,
) -> Pair:
    """The candidate that shares the fewest ways between switches, then the fewest that earlier ones have `taken`, and of several
    the one with the fewest of its own; the first that is asked for more than `got_gbps`, if there is one: it can show more."""
    there = sorted(
        (one for one in candidates if one is not None and one != otherwise),
        key=lambda one: (len(ways.intersection(inner := paths.inner(one))), sum(taken[way] for way in one.ways), len(inner)),
    )
    chosen = next((one for one in there if SLOW * paths.rates_gbps([one])[0] > got_gbps), (there or [otherwise])[0])
    taken.update(chosen.ways)
    return chosen


def suspected_links(paths: Paths, slow: Sequence[Slow], good: Sequence[Pair]) -> Iterator[tuple[list[str], list[Slow]]]:
    """Yields the links between switches that explain the slow pairs, those that explain most first, with these pairs: of the
    links that no good pair went through in this direction, if there are such. Links that explain the same pairs are yielded
    together."""
    clear = {way for pair in good for way in pair.ways}
    left = {}
    for slow_pair in slow:
        inner = paths.inner(slow_pair.pair)
        ways = [way for way in inner if way not in clear] or inner
        left[slow_pair.pair] = slow_pair, {" – ".join(sorted(paths.link_name(way))) for way in ways}
    while left:
        explains = {link: [pair for pair in left if link in left[pair][1]] for _, links in left.values() for link in links}
        most = max(sorted(explains), key=lambda link: len(explains[link]))
        same = [link for link in sorted(explains) if explains[link] == explains[most]]
        yield same, [left.pop(pair)[0] for pair in explains[most]]


def percent(share: float) -> str:
    return f"{100 * min(share, 1.0):.0f} %" if math.isfinite(share) else "–"
