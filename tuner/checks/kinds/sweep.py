# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `sweep`: pairs of hosts that send side by side, others each night, until every host and every link had its turn."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from itertools import chain

from tuner.checks.hosts.need import HostNeed
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.measured import AROUND_S, Measure, about, measuring
from tuner.checks.observation import Observation, count
from tuner.checks.sweep.coverage import before, counts, covered, sentence
from tuner.checks.sweep.findings import findings
from tuner.checks.sweep.paths import Pair, Paths
from tuner.checks.sweep.probing import MOST, Slow, places, probes, rates_in, shares, slow_ones, windows_of, workload
from tuner.checks.sweep.suspects import after, from_plain, to_plain
from tuner.checks.sweep.turns import among, turns
from tuner.documents.check_kinds import Sweep
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build

SCHEMA = 1
_METRICS = (
    count("pairs", "more"),
    count("slow_pairs", "less"),
    count("hosts_tonight", "more"),
    count("links_tonight", "more"),
    count("hosts_in_7_nights", "more"),
    count("links_in_7_nights", "more"),
)


def plan(options: Sweep, night: Night) -> str:
    """Raises BadInputError for a fabric or a profile that cannot be read."""
    under = "the profile in force" if options.profile is None else f"profile '{load_profile(options.profile, {}).name}'"
    if options.backend == "cluster":
        return f"have tonight's hosts send to each other for {options.for_s:g} s under {under}"
    every = _turns(options, night, Paths(build(load_fabric(night.fabric))))
    pairs = every[night.date.toordinal() % len(every)]
    return (
        f"have {len(pairs)} pairs of hosts send for {options.for_s:g} s on backend '{options.backend}' under {under}; "
        f"all hosts and links take turns within {options.nights} nights"
    )


def hosts(options: Sweep, night: Night) -> HostNeed | None:
    return HostNeed(least=2, seconds=5 * options.for_s + 2 * AROUND_S) if options.backend == "cluster" else None


def observe(options: Sweep, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    paths = Paths(build(load_fabric(night.fabric)))
    record = None if night.latest is None else night.latest.record
    # A night that is run again has the suspects of the night before, as its first run had.
    suspects: dict[tuple[str, str], int] = {}
    if record is not None and night.latest is not None:
        suspects = from_plain(record["before" if night.latest.night == night.date else "slow"])
    every = _turns(options, night, paths)
    turn = every[night.date.toordinal() % len(every)]
    only = None if night.hosts is None else {one for pair in turn for one in (pair.src, pair.dst)}
    pairs = _with(paths, turn, suspects.keys(), only, every)
    if not pairs:
        return Observation(
            not_run=f"fabric '{night.fabric}' has no two hosts that reach each other, so there is nothing to sweep"
        )
    warnings: list[str] = []
    with measuring(options, night, warnings) as measure:
        seen = _measured(options, night, paths, pairs, measure)
    nights = [*before(record, paths, night.date), covered(paths, pairs, night.date)]
    good = [pair for i, pair in enumerate(pairs) if i not in seen.odd]
    tonight, lately = counts(nights[-1:]), counts(nights)
    values = (len(pairs), len(seen.slow), *tonight, *lately)
    once = len(seen.odd[:MOST]) - len(seen.slow)
    untold = {pairs[i] for i in seen.odd[MOST:]}
    judged = [pair for pair in pairs if pair not in untold]
    return Observation(
        metrics=tuple((metric, float(value)) for metric, value in zip(_METRICS, values, strict=True)),
        findings=tuple(findings(paths, seen.slow, good, {one for one, nights in suspects.items() if not nights})),
        facts=(
            seen.about,
            sentence(paths, nights),
            *([f"{once} pair{'' if once == 1 else 's'} got less than its rate, and not again"] if once else []),
            *([f"{len(untold)} more got less than their rate; at most {MOST} are measured again in a night"] if untold else []),
            *dict.fromkeys(warnings),
        ),
        record={
            "sweep": SCHEMA,
            "hosts": len(paths.hosts),
            "links": paths.links,
            "nights": [one.to_plain() for one in nights],
            "slow": to_plain(after(suspects, [one.pair for one in seen.slow], judged)),
            "before": to_plain(suspects),
        },
        measured=paths.places(judged) - {end for pair in untold for end in (pair.src, pair.dst)},
    )


@dataclass(frozen=True)
class _Seen:
    """`odd`: pairs that were slow at first. `slow`: those that were so again."""

    about: str
    odd: list[int]
    slow: list[Slow]


def _measured(options: Sweep, night: Night, paths: Paths, pairs: list[Pair], measure: Measure) -> _Seen:
    windows = windows_of(paths, pairs)
    rates = rates_in(windows, paths, pairs)
    first = measure(
        workload(pairs, rates, windows, fabric=night.fabric, seconds=options.for_s), lambda done: night.on_progress(0.7 * done)
    )
    odd = slow_ones(shares(first, rates, windows), windows)
    if not odd:
        return _Seen(about(first, night), [], [])
    tried = probes(paths, pairs, odd)
    thirds = [0, 1, 2] * (len(tried) // 3)
    rates = rates_in(thirds, paths, tried)
    second = measure(
        workload(tried, rates, thirds, fabric=night.fabric, seconds=options.for_s),
        lambda done: night.on_progress(0.7 + 0.3 * done),
    )
    return _Seen(about(first, night), odd, places([pairs[i] for i in odd[:MOST]], rates, shares(second, rates, thirds)))


def _turns(options: Sweep, night: Night, paths: Paths) -> list[list[Pair]]:
    if night.hosts is not None:
        return [among(paths, paths.find(host.host for host in night.hosts.inventory.by_node.values()))]
    return turns(paths, options.nights)


def _with(
    paths: Paths, turn: list[Pair], suspects: Set[tuple[str, str]], only: set[str] | None, every: Sequence[list[Pair]]
) -> list[Pair]:
    """Suspects are measured tonight too, if their hosts are there, and beside each kind of them as many others as a night
    of that kind has: hosts that are idle would let other traffic through in bursts. `only`: tonight's hosts; None: all of the
    fabric. `every`: the pairs of all nights."""
    known = {(pair.src, pair.dst) for pair in turn}
    asked = [
        paths.pair(*paths.find_two(*one))
        for one in sorted(suspects - known)
        if paths.has(*one) and (only is None or only.issuperset(one))
    ]
    more = [pair for pair in asked if pair is not None]
    found = [*turn, *more]
    for crosses in {bool(paths.inner(pair)) for pair in more}:
        alike = [pair for pair in found if bool(paths.inner(pair)) == crosses]
        most = max(sum(bool(paths.inner(pair)) == crosses for pair in night) for night in every)
        sending, receiving = {pair.src for pair in alike}, {pair.dst for pair in alike}
        for pair in chain(*every):
            free = pair.src not in sending and pair.dst not in receiving
            if len(alike) < most and free and bool(paths.inner(pair)) == crosses:
                alike.append(pair)
                found.append(pair)
                sending.add(pair.src)
                receiving.add(pair.dst)
    return found


KINDS.add("sweep", Kind(options=Sweep, metrics=_METRICS, plan=plan, observe=observe, hosts=hosts))
