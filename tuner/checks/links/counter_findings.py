# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Findings about counters of errors, links that go down and come up, and counters that could not be read."""

from collections.abc import Iterator, Sequence

from tuner.checks.links.growth import Growth
from tuner.checks.links.limits import ERRORS, LINK_DOWNED, most, most_downs
from tuner.checks.links.ports import Link, Port
from tuner.checks.links.reading import SILENT, Reading
from tuner.checks.links.since import Since
from tuner.checks.observation import Finding
from tuner.documents.check_kinds import Links


def downs(link: Link, seen: Since) -> Growth:
    """Returns how often a link went down. Both ends count it, unless one has started anew or was cleared meanwhile. The training
    that follows raises counters of errors."""
    counted = [seen.grown.get(end.key, {}).get(LINK_DOWNED) for end, _ in link.ends]
    return max((one for one in counted if one is not None), key=lambda one: one.count, default=Growth(0))


def flapping(links: Sequence[Link], seen: Since, options: Links) -> Iterator[Finding]:
    for link in links:
        count = downs(link, seen)
        if count.count == 0:
            continue
        times = "once" if count == Growth(1) else f"{_shown(count)} times"
        errors = [text for end, _ in link.ends for text in _errors(end, seen, options, all_of_them=True)]
        yield Finding(
            code="link-flapping",
            sentence=f"link {link.place} went down {times} within {seen.time}",
            place=link.place,
            evidence="; ".join([f"LinkDownedCounter has grown by {_shown(count)}", *errors]),
            next_step=_query(link.a),
            severity="fail" if count.count >= most_downs(options, seen.elapsed_s) else "warn",
        )


def errors(links: Sequence[Link], seen: Since, options: Links) -> Iterator[Finding]:
    """Links that were up all the time and have counted more than their limits."""
    for link in links:
        if downs(link, seen).count:
            continue
        by_end = [(end, texts) for end, _ in link.ends if (texts := list(_errors(end, seen, options)))]
        if by_end:
            yield Finding(
                code="link-errors",
                sentence=f"link {link.place} counts errors",
                place=link.place,
                evidence="; ".join(text for _, texts in by_end for text in texts),
                next_step=_query(by_end[0][0]),
            )


def unread(links: Sequence[Link], reading: Reading) -> Iterator[Finding]:
    """One for each device and reason."""
    found: dict[tuple[str, int | None, str], list[Port]] = {}
    for link in links:
        for end, _ in link.ends:
            if end.key in reading.unread:
                found.setdefault((end.guid, end.lid, reading.unread[end.key]), []).append(end)
    for (_, _, why), ports in found.items():
        first = ports[0]
        place = first.name if len(ports) == 1 else first.description
        yield Finding(
            code="counters-unread",
            sentence=f"{place} {why} when it was asked for its counters",
            place=place,
            evidence=f"{len(ports)} port{'' if len(ports) == 1 else 's'} of LID {first.lid}: "
            + ", ".join(str(number) for number in sorted(port.number for port in ports)),
            next_step=_query(first),
            severity="fail" if why == SILENT else "warn",
        )


def _errors(end: Port, seen: Since, options: Links, *, all_of_them: bool = False) -> Iterator[str]:
    grown = seen.grown.get(end.key, {})
    for name in ERRORS:
        count, limit = grown.get(name), most(name, options, end.active, seen.elapsed_s)
        if count is not None and (count.count > 0 if all_of_them else count.count > limit):
            rate = f"{count.count / seen.hours:.3g} an hour"
            bound = "" if all_of_them else f", the limit is {limit / seen.hours:.3g}"
            yield f"{end.name}: {name} has grown by {_shown(count)} within {seen.time} ({rate}{bound})"


def _shown(count: Growth) -> str:
    return f"{'at least ' if count.is_least else ''}{count.count}"


def _query(port: Port) -> str:
    return f"perfquery {port.lid} {port.number}"
