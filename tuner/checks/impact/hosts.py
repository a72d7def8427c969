# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Division of hosts into canaries and congestors, as GPCNeT makes it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from tuner.documents.patterns.draw import Draw

CONGESTORS = ("alltoall", "incast", "put", "get")
"""All-to-all, two-sided incast, incast of one-sided puts, broadcast by one-sided gets."""
LEAST_HOSTS = 10
"""Two canaries, and two of each kind of congestors."""


@dataclass(frozen=True, kw_only=True)
class Parts:
    """References to hosts. `congestors`: by kind; the first of each is the one that the others send to or read from."""

    canaries: tuple[str, ...]
    congestors: Mapping[str, tuple[str, ...]]


def too_few(count: int, where: str) -> str | None:
    """The sentence for fewer than 10 hosts; None if there are enough. `where`: such as "fabric 'two-switch'"."""
    if count >= LEAST_HOSTS:
        return None
    return f"{where} has {count} hosts; at least {LEAST_HOSTS} are needed: 2 canaries, and 2 of each of 4 kinds of congestors"


def parts_of(hosts: Sequence[str], seed: int, *, kinds: Sequence[str] = CONGESTORS) -> Parts:
    """Shuffles the hosts and makes 80 % of them congestors, rounded down; the kinds have equal numbers of them, within one."""
    shuffled = Draw(seed).shuffled(hosts)
    count = len(hosts) * 4 // 5
    groups = {name: tuple(shuffled[:count][k :: len(kinds)]) for k, name in enumerate(kinds)}
    return Parts(canaries=tuple(shuffled[count:]), congestors=groups)


def random_rings(canaries: Sequence[str], count: int, seed: int) -> list[list[str]]:
    """Returns `count` rings, each of all canaries in an order of its own."""
    draw = Draw(seed)
    return [draw.shuffled(canaries) for _ in range(count)]
