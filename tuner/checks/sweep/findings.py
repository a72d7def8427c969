# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings of a sweep: a host that sends or receives less than it is to, or a link that carries less."""

from collections.abc import Iterator, Mapping, Sequence

from tuner.checks.observation import Finding
from tuner.checks.sweep.paths import Pair, Paths
from tuner.checks.sweep.probing import Slow, Where, percent, suspected_links
from tuner.checks.sweep.suspects import Suspects, again

_AT_ONCE = 0.5
"""Share of its rate below which a pair fails in its first night."""
_MOST_LINKS = 3
_NOTHING = 0.01
"""Share below which a host is off, as some always are: a warning, whatever it was the night before."""


def findings(paths: Paths, slow: Sequence[Slow], good: Sequence[Pair], suspects: Suspects) -> Iterator[Finding]:
    """One for each place. It is a warning in its first night, and fails when the same pair is slow for the same reason in the
    next night too, which measures it again; or at once if little is left."""
    at = dict[tuple[Where, str], list[Slow]]()
    for slow_pair in slow:
        for end, host in (("sender", slow_pair.pair.src), ("receiver", slow_pair.pair.dst)):
            if end in slow_pair.where:
                at.setdefault((end, paths.shown(host)), []).append(slow_pair)
    for links, pairs in suspected_links(paths, [one for one in slow if "link" in one.where], good):
        more = f" and {len(links) - _MOST_LINKS} more" if len(links) > _MOST_LINKS else ""
        at["link", ", ".join(links[:_MOST_LINKS]) + more] = pairs
    for (where, place), pairs in at.items():
        known = [slow_pair for slow_pair in pairs if again(suspects, slow_pair, where)]
        yield _finding(min(known or pairs, key=lambda one: one.share), where, place, again=bool(known))


_SENTENCES: Mapping[Where, tuple[str, str, str, str]] = {
    "sender": (
        "sender-slower",
        "{place} sends less than it is to: {rate}",
        "{pair}, and to another host too",
        "ibcc hosts check",
    ),
    "receiver": (
        "receiver-slower",
        "{place} receives less than it is to: {rate}",
        "{pair}, and from another host too",
        "ibcc hosts check",
    ),
    "link": (
        "link-flows-slower",
        "a link between switches carries less than it is to, {rate}: {place}",
        "{pair}; both hosts have their rates with others",
        "iblinkinfo --line",
    ),
}
"""Code, sentence, evidence and next step of a finding."""


def _finding(one: Slow, where: Where, place: str, *, again: bool) -> Finding:
    code, sentence, evidence, step = _SENTENCES[where]
    rate = f"{one.share * one.rate_gbps:.3g} of {one.rate_gbps:.3g} Gb/s ({percent(one.share)})"
    return Finding(
        code=code,
        sentence=f"{sentence.format(place=place, rate=rate)}{', as the last time' if again else ''}",
        place=place,
        evidence=evidence.format(pair=f"{one.pair.src} to {one.pair.dst} {'twice' if one.again else 'once'}"),
        next_step=step,
        severity="fail" if _is_grave(one, where, again=again) else "warn",
    )


def _is_grave(one: Slow, where: Where, *, again: bool) -> bool:
    if where != "link" and one.share < _NOTHING:
        return False
    return again or one.share < _AT_ONCE
