# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Kind `sweep`: pairs of hosts that send side by side, others each night, until every host and every link had its turn."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import partial
from itertools import chain

from tuner.checks.hosts.need import HostNeed
from tuner.checks.kind import KINDS, Kind, Night
from tuner.checks.measured import AROUND_S, Measure, about, hosts_off, measuring
from tuner.checks.observation import Observation, count
from tuner.checks.sweep.coverage import before, counts, covered, sentence
from tuner.checks.sweep.findings import findings
from tuner.checks.sweep.paths import Pair, Paths
from tuner.checks.sweep.probing import (
    MOST,
    MOST_WINDOWS,
    ROUNDS,
    SLOW,
    Slow,
    beside,
    in_parts,
    limits,
    of_rounds,
    places,
    probe_windows,
    probes,
    rates_in,
    shares_of,
    windows_of,
    workload,
)
from tuner.checks.sweep.suspects import Suspects, after, from_plain, to_plain
from tuner.checks.sweep.turns import among, turns
from tuner.documents.check_kinds import Sweep
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build
from tuner.measuring.measurement import Measurement
from tuner.opensm.device_states import first_names

SCHEMA = 1
_METRICS = (
    count("pairs", "more"),
    count("slow_pairs", "less"),
    count("hosts_tonight", "more"),
    count("links_tonight", "more"),
    count("hosts_in_7_nights", "more"),
    count("links_in_7_nights", "more"),
)
_UNTOLD = f"{{}} more got less than their rate, as others do tonight, or beyond the {MOST} slowest: nothing is concluded of them"


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
    return (
        HostNeed(least=2, seconds=(1 + ROUNDS) * MOST_WINDOWS * options.for_s + 2 * AROUND_S)
        if options.backend == "cluster"
        else None
    )


def observe(options: Sweep, night: Night) -> Observation:
    """The backend restores what it found, whatever happens."""
    built = build(load_fabric(night.fabric))
    paths = Paths(built)
    record = None if night.latest is None else night.latest.record
    # A night that is run again has the suspects of the night before, as its first run had.
    suspects: Suspects = {}
    retried = set[tuple[str, str]]()
    if record is not None and night.latest is not None:
        suspects = from_plain(record["before" if night.latest.night == night.date else "slow"])
        retried = set(from_plain(record.get("untold", ())))
    every = _turns(options, night, paths)
    turn = every[night.date.toordinal() % len(every)]
    warnings: list[str] = []
    with measuring(options, night, warnings) as measure:
        off = hosts_off(options, built.hosts)
        there = paths.references.difference(off)
        if night.hosts is not None:
            there = frozenset(one for pair in turn for one in (pair.src, pair.dst))
        pairs = _with(paths, _without(paths, turn, off), retried | suspects.keys(), there, every)
        if not pairs:
            return Observation(
                not_run=f"fabric '{night.fabric}' has no two hosts that reach each other, so there is nothing to sweep"
            )
        seen = _measured(options, night, paths, pairs, measure)
    nights = [*before(record, paths, night.date), covered(paths, pairs, night.date)]
    good = [*seen.good, *(pair for pair in pairs if pair not in seen.less)]
    tonight, lately = counts(nights[-1:]), counts(nights)
    values = (len(pairs), len(seen.slow), *tonight, *lately)
    once = len(seen.again) - len(seen.slow)
    untold = seen.less.difference(seen.again)
    judged = [pair for pair in pairs if pair not in untold]
    return Observation(
        metrics=tuple((metric, float(value)) for metric, value in zip(_METRICS, values, strict=True)),
        findings=tuple(findings(paths, seen.slow, good, suspects)),
        facts=(
            seen.about,
            sentence(paths, nights),
            *([f"{len(off)} host{' is' if len(off) == 1 else 's are'} off, and not measured: {first_names(off)}"] if off else []),
            *([f"{once} pair{'' if once == 1 else 's'} got less than its rate, and not again"] if once else []),
            *([_UNTOLD.format(len(untold))] if untold else []),
            *dict.fromkeys(warnings),
        ),
        record={
            "sweep": SCHEMA,
            "hosts": len(paths.hosts),
            "links": paths.links,
            "nights": [one.to_plain() for one in nights],
            "slow": to_plain(after(suspects, seen.slow, judged)),
            "before": to_plain(suspects),
            "untold": sorted([src, dst] for src, dst in {(pair.src, pair.dst) for pair in untold} - retried),
        },
        measured=paths.places(judged) - {paths.shown(end) for pair in untold for end in (pair.src, pair.dst)},
    )


@dataclass(frozen=True)
class _Seen:
    """`less`: pairs that got less than they are to. `again`: those of them that were measured again. `slow`: those that were so
    again. `good`: other pairs that were measured with these, and got what they are to."""

    about: str
    less: frozenset[Pair]
    again: tuple[Pair, ...] = ()
    slow: tuple[Slow, ...] = ()
    good: tuple[Pair, ...] = ()


def _measured(options: Sweep, night: Night, paths: Paths, pairs: list[Pair], measure: Measure) -> _Seen:
    def run(pairs: list[Pair], windows: list[int], before: float, part: float) -> tuple[Measurement, list[float], list[float]]:
        rates, found = rates_in(windows, paths, pairs), [0.0] * len(pairs)
        parts = in_parts(windows)
        for number, mine in enumerate(parts):
            when, asked = [windows[i] for i in mine], [rates[i] for i in mine]
            flows = workload([pairs[i] for i in mine], asked, when, fabric=night.fabric, seconds=options.for_s)
            seen = measure(flows, partial(progress, before + part * number / len(parts), part / len(parts)))
            for i, share in zip(mine, shares_of(seen, asked, when), strict=True):
                found[i] = share
        return seen, rates, found

    def progress(before: float, part: float, done: float) -> None:
        night.on_progress(before + part * done)

    first, asked, found = run(pairs, windows_of(paths, pairs), 0.0, 0.7)
    shares, least = dict(zip(pairs, found, strict=True)), limits(paths, pairs, found)
    less = frozenset(pair for pair in pairs if shares[pair] < SLOW)
    odd = sorted((one for one in pairs if one in less and shares[one] < least[bool(paths.inner(one))]), key=shares.__getitem__)
    if not odd:
        return _Seen(about(first, night), less)
    good = [pair for pair in pairs if pair not in odd]
    got = {pair: share * rate for pair, share, rate in zip(pairs, found, asked, strict=True)}
    tried = probes(paths, {pair: got[pair] for pair in odd[:MOST]}, good)
    every, once = beside(tried, probe_windows(paths, tried), good)
    rounds = [window + turn * (max(once) + 1) for turn in range(ROUNDS) for window in once]
    _, rates, found = run(every * ROUNDS, rounds, 0.7, 0.3)
    best, worst = of_rounds(found, len(tried))
    slow = tuple(places(paths, tried, rates[: len(tried)], best, worst, least))
    fine = tuple(pair for pair, share in zip(tried, best, strict=True) if share >= SLOW)
    return _Seen(about(first, night), less, tuple(odd[:MOST]), slow, fine)


def _turns(options: Sweep, night: Night, paths: Paths) -> list[list[Pair]]:
    if night.hosts is not None:
        return [among(paths, paths.find(host.host for host in night.hosts.inventory.by_node.values()))]
    return turns(paths, options.nights)


def _without(paths: Paths, turn: list[Pair], off: Sequence[str]) -> list[Pair]:
    """Partners of hosts that are off are each other's tonight."""
    left = [pair for pair in turn if not {pair.src, pair.dst}.isdisjoint(off)]
    alone = {one for pair in left for one in (pair.src, pair.dst)}.difference(off)
    return list(dict.fromkeys([*(pair for pair in turn if pair not in left), *among(paths, paths.find(alone))]))


def _with(
    paths: Paths, turn: list[Pair], suspects: Set[tuple[str, str]], there: Set[str], every: Sequence[list[Pair]]
) -> list[Pair]:
    """Suspects, and pairs of which the last night concluded nothing, are measured tonight too, if their hosts are there, and
    beside each kind of them as many others as a night of that kind has: they say what is usual. `there`: tonight's hosts.
    `every`: the pairs of all nights."""
    more = [pair for one in sorted(suspects) if set(one) <= there and (pair := paths.pair(*paths.find_two(*one))) is not None]
    found = list(dict.fromkeys([*turn, *more]))
    for crosses in {bool(paths.inner(pair)) for pair in more}:
        kinds = [[pair for pair in night if bool(paths.inner(pair)) == crosses] for night in (found, *every)]
        alike = [pair for pair in dict.fromkeys(chain(*kinds)) if {pair.src, pair.dst} <= there]
        found += alike[len(kinds[0]) : max(map(len, kinds))]
    return found


KINDS.add("sweep", Kind(options=Sweep, metrics=_METRICS, plan=plan, observe=observe, hosts=hosts))
