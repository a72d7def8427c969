# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hosts and links that nights have covered, as a record keeps them: numbers with a bit for each."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from tuner.checks.sweep.paths import Pair, Paths

SHOWN = 7
"""Nights over which a report says what was covered."""


@dataclass(frozen=True)
class Covered:
    """Of the night `night`, a bit for each host and link."""

    night: date
    hosts: int
    links: int

    def to_plain(self) -> list[str]:
        return [self.night.isoformat(), f"{self.hosts:x}", f"{self.links:x}"]

    @classmethod
    def from_plain(cls, plain: Sequence[str]) -> "Covered":
        return cls(date.fromisoformat(plain[0]), int(plain[1], 16), int(plain[2], 16))


def covered(paths: Paths, pairs: Iterable[Pair], night: date) -> Covered:
    hosts = links = 0
    for pair in pairs:
        for reference in (pair.src, pair.dst):
            hosts |= 1 << paths.number(reference)
        for link in pair.links:
            links |= 1 << link
    return Covered(night, hosts, links)


def before(record: Mapping[str, Any] | None, paths: Paths, tonight: date) -> list[Covered]:
    """Returns what the record of the last run knows of the nights before, of the last SHOWN; nothing of a fabric that has another
    number of hosts or links now."""
    if record is None or [record["hosts"], record["links"]] != [len(paths.hosts), paths.links]:
        return []
    known = map(Covered.from_plain, record["nights"])
    return [one for one in known if tonight - timedelta(days=SHOWN) < one.night < tonight]


def counts(nights: Sequence[Covered]) -> tuple[int, int]:
    """Returns the number of hosts and of links that these nights have covered together."""
    hosts = links = 0
    for one in nights:
        hosts, links = hosts | one.hosts, links | one.links
    return hosts.bit_count(), links.bit_count()


def sentence(paths: Paths, nights: Sequence[Covered]) -> str:
    """`nights`: tonight is the last of them."""
    hosts, links = len(paths.hosts), paths.links
    tonight, all_of_them = counts(nights[-1:]), counts(nights)
    return (
        f"covered tonight: {tonight[0]} of {hosts} hosts and {tonight[1]} of {links} links; "
        f"in {SHOWN} nights: {all_of_them[0]} of {hosts} hosts and {all_of_them[1]} of {links} links"
    )
