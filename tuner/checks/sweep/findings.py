# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings of a sweep: a host that sends or receives less than it is to, or a link that carries less."""

from collections.abc import Collection, Iterator, Sequence

from tuner.checks.observation import Finding
from tuner.checks.sweep.paths import Pair, Paths
from tuner.checks.sweep.probing import Slow, percent, suspected_ways

_AT_ONCE = 0.5
"""Share of its rate below which a pair fails in its first night."""
_MOST_LINKS = 3
_NOTHING = 0.01
"""Share below which a host is off, as some always are: a warning, whatever it was the night before."""


def findings(
    paths: Paths, slow: Sequence[Slow], good: Sequence[Pair], suspects: Collection[tuple[str, str]]
) -> Iterator[Finding]:
    """One for each place. It is a warning in its first night, and fails when the same pair is slow in the next night too, which
    measures it again; or at once if little is left. `suspects`: pairs that were slow the last time they were measured."""
    ways = suspected_ways(paths, slow, good)
    told = set[str]()
    for one in sorted(slow, key=lambda one: (one.pair.src, one.pair.dst) not in suspects):  # each place is told once
        for where in one.where:
            ends = {"sender": one.pair.src, "receiver": one.pair.dst}
            links = ways[one.pair][:_MOST_LINKS] if where == "link" else ()
            place = paths.shown(ends[where]) if where in ends else ", ".join(" – ".join(paths.link_name(way)) for way in links)
            if place not in told:
                told.add(place)
                again = (one.pair.src, one.pair.dst) in suspects
                yield _finding(one, where, place, again=again)


def _finding(one: Slow, where: str, place: str, *, again: bool) -> Finding:
    rate = f"{one.share * one.rate_gbps:.3g} of {one.rate_gbps:.3g} Gb/s"
    pair = f"{one.pair.src} to {one.pair.dst}"
    code, sentence, evidence, step = {
        "sender": (
            "sender-slower",
            f"{place} sends less than it is to: {rate} ({percent(one.share)})",
            f"{pair} twice, and to another host too",
            "ibcc hosts check",
        ),
        "receiver": (
            "receiver-slower",
            f"{place} receives less than it is to: {rate} ({percent(one.share)})",
            f"{pair} twice, and from another host too",
            "ibcc hosts check",
        ),
        "link": (
            "link-flows-slower",
            f"a link between switches carries less than it is to, {rate} ({percent(one.share)}): {place}",
            f"{pair} twice; both hosts have their rates with others",
            "iblinkinfo --line",
        ),
    }[where]
    return Finding(
        code=code,
        sentence=f"{sentence}{', as the last time' if again else ''}",
        place=place,
        evidence=evidence,
        next_step=step,
        severity="fail" if _is_grave(one, where, again=again) else "warn",
    )


def _is_grave(one: Slow, where: str, *, again: bool) -> bool:
    if where != "link" and one.share < _NOTHING:
        return False
    return again or one.share < _AT_ONCE
