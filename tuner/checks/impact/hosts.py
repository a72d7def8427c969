# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Division of hosts into canaries and congestors, as GPCNeT makes it."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from tuner.documents.patterns.draw import Draw

CONGESTORS = ("alltoall", "incast", "put", "get")
"""All-to-all, two-sided incast, incast of one-sided puts, broadcast by one-sided gets."""
_LEAST = 2
"""Canaries, and congestors of a kind."""
LEAST_HOSTS = _LEAST * (1 + len(CONGESTORS))


@dataclass(frozen=True, kw_only=True)
class Parts:
    """References to hosts that are there. `congestors`: by kind; the first of each is the one that the others send to or read
    from. `drawn`: all canaries, those that are gone among them."""

    canaries: tuple[str, ...]
    congestors: Mapping[str, tuple[str, ...]]
    drawn: tuple[str, ...]

    @property
    def are_enough(self) -> bool:
        return all(len(one) >= _LEAST for one in (self.canaries, *self.congestors.values()))

    def rings(self, count: int, seed: int) -> list[list[str]]:
        """Returns `count` rings of all canaries, each in an order of its own, which is the same without those that are gone."""
        draw = Draw(seed)
        return [[one for one in draw.shuffled(self.drawn) if one in self.canaries] for _ in range(count)]


def too_few(count: int, where: str) -> str | None:
    """The sentence for fewer than 10 hosts; None if there are enough. `where`: such as "fabric 'two-switch'"."""
    if count >= LEAST_HOSTS:
        return None
    return f"{where} has {count} hosts; at least {LEAST_HOSTS} are needed: 2 canaries, and 2 of each of 4 kinds of congestors"


def parts_of(
    hosts: Sequence[str], seed: int, *, there: Collection[str] | None = None, kinds: Sequence[str] = CONGESTORS
) -> Parts:
    """Shuffles the hosts and makes 80 % of them congestors, rounded down; the kinds have equal numbers of them, within one.
    `there`: those that have not gone since then, whose parts stay what they were; None: all."""
    shuffled = Draw(seed).shuffled(hosts)
    count = len(hosts) * 4 // 5
    dealt = [shuffled[count:], *(shuffled[:count][k :: len(kinds)] for k in range(len(kinds)))]
    canaries, *groups = (tuple(one for one in part if there is None or one in there) for part in dealt)
    return Parts(canaries=canaries, congestors=dict(zip(kinds, groups, strict=True)), drawn=tuple(dealt[0]))
