# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The pairs of a sweep, dealt out to nights: each host sends and receives, and each link that routes between hosts use is
crossed."""

import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, groupby

from tuner.checks.sweep.paths import Pair, Paths
from tuner.documents.hosts import Endport

_IDLE = 3
"""Rounds in a row without a link that is new, after which no more are tried."""
_ROUNDS = 64


def turns(paths: Paths, nights: int) -> list[list[Pair]]:
    """Returns the pairs of each night; the same for the same fabric. Two rounds are taken whole: one of neighbours at a switch,
    which share no link, in the first half of the nights; and one across the fabric, in the others. Each other round is a cyclic
    shift of all hosts, of which the pairs are taken that cross a link which no earlier pair did. Neighbours of a switch have one
    night, so that few hosts are needed. With one night there are no neighbours.

    From three nights on, each sender, receiver and link has two nights: a pair that is slow is measured again in the next night,
    which confirms it, so a fault that lasts is told within the turn, whichever night it begins with."""
    near = _near(paths) if nights > 1 else []
    chosen = _across(paths, paths.hosts)
    crossed = {link for pair in (*near, *chosen) for link in pair.links}
    idle = 0
    for shift in _shifts(len(paths.hosts)):
        if idle == _IDLE or len(crossed) == paths.links:
            break
        before = len(crossed)
        for src, dst in _shifted(paths.hosts, shift):
            pair = paths.pair(src, dst)
            if pair is not None and not crossed.issuperset(pair.links):
                chosen.append(pair)
                crossed.update(pair.links)
        idle = 0 if len(crossed) > before else idle + 1
    half = nights // 2
    blocks = [near[len(near) * night // half : len(near) * (night + 1) // half] for night in range(half)]
    return _in_two_nights([*blocks, *(chosen[night :: nights - half] for night in range(nights - half))], half)


def among(paths: Paths, hosts: Sequence[Endport]) -> list[Pair]:
    """Returns a pair for each of these hosts, which all are there tonight."""
    return _across(paths, hosts)


def _in_two_nights(dealt: list[list[Pair]], first: int) -> list[list[Pair]]:
    """Adds pairs of the nights from number `first` on to others of these, half-way around, for what one night alone has."""
    nights_of = defaultdict[str, set[int]](set)
    for index, pairs in enumerate(dealt):
        for place in chain(*map(_places, pairs)):
            nights_of[place].add(index)
    across, found = dealt[first:], [list(pairs) for pairs in dealt]
    if len(across) == 1:
        return found
    for index, pairs in enumerate(across):
        other = first + (index + len(across) // 2) % len(across)
        for pair in pairs:
            if any(len(nights_of[place]) == 1 for place in _places(pair)):
                found[other].append(pair)
                for place in _places(pair):
                    nights_of[place].add(other)
    return found


def _places(pair: Pair) -> Iterator[str]:
    yield from (f"from {pair.src}", f"to {pair.dst}", *(f"over {link}" for link in pair.links))


def _near(paths: Paths) -> list[Pair]:
    """Each host sends to the next one at its switch whose link has its rate, the last one to the first. One that is alone with
    its rate sends to the fastest of the others, and receives from it."""
    found = list[Pair | None]()
    for _, group in groupby(paths.hosts, key=paths.leaf):
        together = list(group)
        for alike in _alike(paths, together):
            if len(alike) > 1:
                found += [paths.pair(src, dst) for src, dst in zip(alike, [*alike[1:], alike[0]], strict=True)]
            else:
                found += [_to_fastest(paths, alike[0], together), _from_fastest(paths, alike[0], together)]
    return [pair for pair in found if pair is not None]


def _across(paths: Paths, hosts: Sequence[Endport]) -> list[Pair]:
    """Among those whose links have one rate, so that each is asked for all that it can: where the host half-way around is not
    reached, the next one is that is. Who is left sends to the fastest of the others and receives from it, if they reach each
    other."""
    found, senders, receivers = list[Pair](), set[Endport](), set[Endport]()
    for alike in _alike(paths, hosts):
        for i, src in enumerate(alike):
            for step in range(len(alike) - 1):
                dst = alike[(i + len(alike) // 2 + step) % len(alike)]
                if dst not in receivers and (pair := paths.pair(src, dst)) is not None:
                    senders.add(src)
                    receivers.add(dst)
                    found.append(pair)
                    break
    left = [_to_fastest(paths, host, hosts) for host in hosts if host not in senders]
    left += [_from_fastest(paths, host, hosts) for host in hosts if host not in receivers]
    return [*found, *(pair for pair in left if pair is not None)]


def _alike(paths: Paths, hosts: Sequence[Endport]) -> list[list[Endport]]:
    """These hosts, together those whose links have one rate."""
    groups: dict[float, list[Endport]] = {}
    for host in hosts:
        groups.setdefault(paths.carries_gbps(host), []).append(host)
    return list(groups.values())


def _to_fastest(paths: Paths, host: Endport, others: Sequence[Endport]) -> Pair | None:
    """From a host to the fastest of the others that it reaches; None if it reaches none."""
    return next((pair for other in _fastest(paths, others) if (pair := paths.pair(host, other)) is not None), None)


def _from_fastest(paths: Paths, host: Endport, others: Sequence[Endport]) -> Pair | None:
    """To a host from the fastest of the others that reach it; None if none does."""
    return next((pair for other in _fastest(paths, others) if (pair := paths.pair(other, host)) is not None), None)


def _fastest(paths: Paths, hosts: Sequence[Endport]) -> list[Endport]:
    return sorted(hosts, key=paths.carries_gbps, reverse=True)


def _shifts(count: int) -> Iterator[int]:
    """Yields each distance by which hosts can be shifted at most once, and _ROUNDS at most."""
    drawn = random.Random(0).sample(range(1, count), max(0, count - 1))
    yield from drawn[:_ROUNDS]


def _shifted(hosts: Sequence[Endport], shift: int) -> Iterator[tuple[Endport, Endport]]:
    for i, src in enumerate(hosts):
        yield src, hosts[(i + shift) % len(hosts)]
