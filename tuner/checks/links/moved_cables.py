# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Cables that are plugged elsewhere: links that are gone, whose ports have other links now."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from datetime import date

from tuner.checks.links.ports import Link, LinkKey, Port, PortKey
from tuner.checks.links.state_findings import GoneLink, state_of
from tuner.checks.observation import Finding


def moved_cables(
    lost: Sequence[GoneLink],
    links: Sequence[Link],
    before: Collection[LinkKey],
    ports: Mapping[PortKey, Port],
    tonight: date,
) -> Iterator[tuple[Finding, tuple[GoneLink, ...]]]:
    """Yields a finding for each cable or set of cables that were plugged elsewhere, and the links that are gone by that. Cables
    that have exchanged their ports are one finding. `links`: tonight's. `before`: those that there were."""
    new = {end.key: link for link in links if link.key not in before for end in (link.a, link.b)}
    left = [one for one in lost if any(end in new for end in one.key)]
    while left:
        group = _joined(left[0], left, new)
        left = [one for one in left if one not in group]
        here = {new[end].key: new[end] for one in group for end in one.key if end in new}
        ends = [end for one in group for end in one.key]
        if len(group) > 1 and all(end in new for end in ends) and {end for key in here for end in key} == set(ends):
            yield _exchanged(group, list(here.values())), tuple(group)
        else:
            for one in group:
                yield _moved(one, new, ports, tonight), (one,)


def _joined(first: GoneLink, lost: Sequence[GoneLink], new: Mapping[PortKey, Link]) -> list[GoneLink]:
    """The links that are gone whose ports the new links of `first` join, and so on."""
    found, reached = [first], {end for at in first.key if at in new for end in new[at].key} | set(first.key)
    grown = True
    while grown:
        more = [one for one in lost if one not in found and reached & set(one.key)]
        found += more
        reached |= {end for one in more for at in one.key for end in (at, *(new[at].key if at in new else ()))}
        grown = bool(more)
    return found


def _exchanged(group: Sequence[GoneLink], here: Sequence[Link]) -> Finding:
    """Names all of them, in an order that does not depend on the night."""
    places = sorted(one.place for one in group)
    now = sorted(link.place for link in here)
    return Finding(
        code="cables-swapped",
        sentence=f"cables are swapped: {' and '.join(places)} {'are' if len(places) > 1 else 'is'} now {' and '.join(now)}",
        place=", ".join(places),
        evidence=f"{'; '.join(places)} are gone, and {'; '.join(now)} are new",
        next_step="; ".join(dict.fromkeys(f"iblinkinfo --line -G {link.a.guid}" for link in here)),
        level=float(len(places)),
    )


def is_replaced(one: GoneLink, ports: Mapping[PortKey, Port]) -> bool:
    """True for a host's link whose adapter is no more, and whose switch has another one at that port: a repair, that nobody
    undoes."""
    return one.host is not None and all(guid != one.host for guid, _ in ports)


def _moved(one: GoneLink, new: Mapping[PortKey, Link], ports: Mapping[PortKey, Port], tonight: date) -> Finding:
    now = list(dict.fromkeys(new[end].place for end in one.key if end in new))
    link = next(new[end] for end in one.key if end in new)
    replaced = is_replaced(one, ports)
    sentence = (
        f"the adapter of {one.place} was replaced" if now == [one.place] else f"cable {one.place} is now {' and '.join(now)}"
    )
    return Finding(
        code="cable-moved",
        sentence=sentence,
        place=one.place,
        evidence="; ".join(state_of(end, name, ports) for end, name in zip(one.key, one.names, strict=True)),
        next_step=f"iblinkinfo --line -G {link.a.guid}",
        severity="warn" if replaced and one.since != tonight else "fail",
    )
