# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Searches hosts for a shape by the routes between them. Deterministic: the first that fit, in the order of the candidates."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice

from tuner.documents.flow import Flow
from tuner.placement.paths import Link, Paths
from tuner.placement.shape import Shape

_ATTEMPTS = 8
"""Number of victims that are tried on one link."""


def hotspot(
    shape: Shape, paths: Paths, alike: int | None, *, fewer_victims: bool = False, weak: bool = False
) -> dict[str, str] | None:
    """Returns the host of each role, by the workload's own name: contributors to one receiver, `alike` of them, by default half,
    over a link that the first victim uses too; None if no hosts fit. `fewer_victims`: where not all victims fit, as many as do,
    the first among them; the others are left out. `weak`: the contributors may send less together than their receiver takes."""
    n = len(shape.contributors)
    if alike == 0 and not shape.victims:
        return _anywhere(shape, paths, weak)
    wanted = max(1, n // 2) if alike is None else min(max(1, alike), n)
    best: dict[str, str] | None = None
    # With fewer sharing if it cannot be otherwise, then with more.
    for sharing in [*range(wanted, 0, -1), *range(wanted + 1, n + 1)]:
        for receiver in paths.receivers:
            if paths.exhausted:
                return best
            for link, sources in _feeding(paths, receiver):
                elsewhere = len(paths.candidates) - 1 - len(sources)
                if len(sources) < sharing or elsewhere < n - sharing:
                    continue
                if shape.victims and not paths.may_be_shared(link, sharing):
                    continue
                found = _around(shape, paths, receiver, link, sources, sharing, fewer_victims, weak)
                if found is not None and all(flow.src in found for flow in shape.victims):
                    return found
                if found is not None and (best is None or len(found) > len(best)):
                    best = found
        if best is not None:
            return best
    return None


def shared_link(shape: Shape, paths: Paths) -> dict[str, str] | None:
    """Returns the host of each role: contributors with a receiver each, who all have one link in common; None if none fit."""
    n = len(shape.contributors)
    for first in paths.receivers:
        for link, sources in _feeding(paths, first):
            if len(sources) < n:
                continue
            pairs = _pairs(paths, link, sources, first, n)
            if pairs is not None:
                found = dict(zip((flow.src for flow in shape.contributors), (src for src, _ in pairs), strict=True))
                return found | dict(zip((flow.dst for flow in shape.contributors), (dst for _, dst in pairs), strict=True))
    return None


def _feeding(paths: Paths, receiver: str) -> Iterator[tuple[Link, list[str]]]:
    """Yields the links on the way to a host and the hosts that use each. Those that the fewest share come first: such a link is
    no bottleneck itself."""
    by_link: dict[Link, list[str]] = {}
    for host in paths.candidates:
        if host != receiver:
            for link in paths.between_switches(host, receiver):
                by_link.setdefault(link, []).append(host)
    yield from sorted(by_link.items(), key=lambda item: len(item[1]))


def _anywhere(shape: Shape, paths: Paths, weak: bool) -> dict[str, str] | None:
    """A receiver and as many hosts that reach it, whatever their ways."""
    n = len(shape.contributors)
    for receiver in paths.receivers:
        sources = [host for host in paths.candidates if host != receiver and paths.reaches(host, receiver)][:n]
        if len(sources) == n and (weak or paths.fill(sources, receiver)):
            return dict(zip((flow.src for flow in shape.contributors), sources, strict=True)) | {
                shape.contributors[0].dst: receiver
            }
    return None


def _around(
    shape: Shape,
    paths: Paths,
    receiver: str,
    link: Link,
    sources: Sequence[str],
    sharing: int,
    fewer_victims: bool,
    weak: bool,
) -> dict[str, str] | None:
    """Returns the roles with `sharing` contributors and the first victim on one link; None if it has no place for them.
    `fewer_victims`: it may have no place for some of the other victims."""
    best: dict[str, str] | None = None
    if not shape.victims:
        return _contributors(shape, paths, receiver, {link}, sources, sharing, {receiver}, weak)
    first, *more = shape.victims
    over, attempts = set(sources), _ATTEMPTS
    tried_leaves: set[int] = set()
    # One that the contributors do not need, if there is: it may send over the link to somebody else as well.
    for victim in [*reversed(sources), *(host for host in paths.candidates if host not in over)]:
        if paths.exhausted or attempts == 0:
            return best
        if victim == receiver or paths.leaf(victim) in tried_leaves:
            continue
        end = next((host for host in paths.over(link, victim) if host not in (receiver, victim)), None)
        if end is None:
            tried_leaves.add(paths.leaf(victim))  # hosts of one switch have the same ways
            continue
        attempts -= 1
        own = set(paths.between_switches(victim, end))
        found = _contributors(shape, paths, receiver, own, sources, sharing, {receiver, victim, end}, weak)
        if found is None:
            continue
        found |= {first.src: victim, first.dst: end}
        contributors = {found[flow.src]: receiver for flow in shape.contributors}
        if all(_add_victim(flow, paths, found, contributors, max(sharing, len(contributors) // 2)) for flow in more):
            return found
        if fewer_victims and (best is None or len(found) > len(best)):
            best = found
    return best


def _contributors(
    shape: Shape,
    paths: Paths,
    receiver: str,
    own: set[Link],
    sources: Sequence[str],
    sharing: int,
    taken: set[str],
    weak: bool,
) -> dict[str, str] | None:
    """The contributors' hosts: `sharing` of `sources`, the others on ways that have no link of `own`."""
    sharers = [host for host in sources if host not in taken][:sharing]
    if len(sharers) < sharing:
        return None
    taken = taken | set(sharers)
    others = len(shape.contributors) - sharing
    elsewhere = (
        host
        for host in paths.candidates
        if host not in taken and own.isdisjoint(paths.between_switches(host, receiver)) and paths.reaches(host, receiver)
    )
    apart = list(islice(elsewhere, others))
    if len(apart) < others or not (weak or paths.fill([*sharers, *apart], receiver)):
        return None
    found = dict(zip((flow.src for flow in shape.contributors), (*sharers, *apart), strict=True))
    return found | {shape.contributors[0].dst: receiver}


def _add_victim(flow: Flow, paths: Paths, found: dict[str, str], contributors: Mapping[str, str], most: int) -> bool:
    """Adds another victim, on a link of at most `most` contributors; on switches where fewer victims are, if there are such."""
    carried = Counter(link for src, dst in contributors.items() for link in paths.between_switches(src, dst))
    taken = set(found.values())
    crowded = Counter(paths.leaf(host) for host in taken)
    free = [host for host in paths.candidates if host not in taken]
    sources = sorted(free, key=lambda host: crowded[paths.leaf(host)])
    for common in ({link for link, count in carried.items() if count <= most}, set(carried)):
        pair = _pair_over(common, sources, free, paths)
        if pair is not None:
            found |= {flow.src: pair[0], flow.dst: pair[1]}
            return True
    return False


def _pair_over(common: set[Link], sources: Sequence[str], ends: Sequence[str], paths: Paths) -> tuple[str, str] | None:
    """A source and an end whose path has one of those links."""
    tried_leaves: set[int] = set()
    for source in sources:
        if paths.exhausted:
            break
        if paths.leaf(source) in tried_leaves:
            continue
        for end in ends:
            if end != source and not common.isdisjoint(paths.between_switches(source, end)):
                return source, end
        tried_leaves.add(paths.leaf(source))
    return None


def _pairs(paths: Paths, link: Link, sources: Sequence[str], first: str, n: int) -> list[tuple[str, str]] | None:
    """`n` pairs of different hosts whose paths all take the link, the first one's to `first`."""
    pairs = [(sources[0], first)]
    taken = {sources[0], first}
    for src in sources[1:]:
        if len(pairs) == n:
            return pairs
        if src in taken:
            continue
        end = next((h for h in paths.candidates if h not in taken and h != src and link in paths.between_switches(src, h)), None)
        if end is not None:
            pairs.append((src, end))
            taken |= {src, end}
    return pairs if len(pairs) == n else None
