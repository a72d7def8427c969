# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Which parts of a fabric are one subnet: switches that links join, and the ports of adapters on them.

Planes and rails have no link between them, and a subnet manager each. An adapter forwards nothing, so its ports may be in several
subnets. LIDs are unique within one subnet only.
"""

from collections.abc import Hashable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T", bound=Hashable)


class Joined(Generic[T]):
    """Sets of things that something joins (union-find)."""

    def __init__(self) -> None:
        self._above: dict[T, T] = {}

    def root(self, one: T) -> T:
        """One of those that are joined with `one`, the same for all of them."""
        above = self._above
        while (next_one := above.setdefault(one, one)) != one:
            above[one] = above[next_one]
            one = next_one
        return one

    def join(self, a: T, b: T) -> None:
        self._above[self.root(b)] = self.root(a)


def numbered_subnets(n_switches: int, links: Iterable[tuple[tuple[int, int], tuple[int, int]]]) -> dict[tuple[int, int], int]:
    """The number of the subnet, from 1, that a switch is in, as (node, 0), and each linked port of an adapter, as (node, port).

    `links`: the (node, port) of both ends; the nodes before `n_switches` are switches. Subnets are counted in the order of their
    first switches. Switches that reach no adapter are in none.
    """
    joined: Joined[tuple[int, int]] = Joined()
    for i in range(n_switches):
        joined.root((i, 0))
    adapters: dict[tuple[int, int], None] = {}
    for ends in links:
        a, b = ((node, 0) if node < n_switches else (node, port) for node, port in ends)
        joined.join(a, b)
        adapters |= {end: None for end in (a, b) if end[1]}
    served = {joined.root(end) for end in adapters}
    numbers: dict[tuple[int, int], int] = {}
    found: dict[tuple[int, int], int] = {}
    for end in [*((i, 0) for i in range(n_switches)), *sorted(adapters)]:
        if (root := joined.root(end)) in served:
            found[end] = numbers.setdefault(root, len(numbers) + 1)
    return found
