# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All routes of a fabric, followed at once: pairs that do not reach each other, and pairs that each port carries."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tuner.documents.lft import NO_ROUTE
from tuner.fabric.forwarding import NOTHING, PORTS, Forwarding, Ints

_AT_ONCE = 512
"""Destinations whose routes are followed together: the arrays of 972 switches take some megabytes."""

Why: TypeAlias = Literal["no entry", "leads nowhere", "another host", "circle"]
_WHY: tuple[Why, ...] = ("no entry", "leads nowhere", "another host", "circle")
Floats: TypeAlias = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Missing:
    """Routes that end at a switch without reaching the host. `why`: there is no entry, or it leads to a port without a link, or
    to another host, or the route goes in a circle through that switch. `pairs`: of hosts; `destinations`: how many hosts they are
    for. `example`: source switch and destination of one."""

    switch: int
    why: Why
    pairs: int
    destinations: int
    example: tuple[int, int]

    def joined(self, other: "Missing | None") -> "Missing":
        """Returns the group with that of the same switch and reason for other destinations."""
        if other is None:
            return self
        return replace(other, pairs=self.pairs + other.pairs, destinations=self.destinations + other.destinations)


@dataclass(frozen=True)
class Group:
    """Ports of a switch that could carry the same routes. `to`: the switch at the other end of parallel links; NOTHING: those to
    the next level. `pairs`: of hosts, carried by each port. `fair`: what a port would carry if it were spread evenly; a
    destination's routes stay together, so no less than those of one destination."""

    switch: int
    to: int
    ports: tuple[int, ...]
    pairs: tuple[int, ...]
    fair: float

    @property
    def share(self) -> float:
        """The greatest load over the fair one; 1 for perfect balance."""
        return max(self.pairs) / self.fair


class Routes:
    """Takes some seconds and 300 MB for 5,832 hosts on 972 switches, most of it when the first of its answers is asked for."""

    def __init__(self, forwarding: Forwarding) -> None:
        self.forwarding = forwarding

    @property
    def pairs(self) -> int:
        """Pairs of a host and another, in each direction."""
        hosts = int(self.forwarding.is_host.sum())
        return hosts * (hosts - 1)

    @property
    def unreachable(self) -> int:
        """Pairs of hosts of which the first does not reach the second."""
        return sum(one.pairs for one in self.missing)

    @property
    def missing(self) -> list[Missing]:
        """Most pairs first."""
        return self._followed[0]

    @cached_property
    def loads(self) -> npt.NDArray[np.int64]:
        """`loads[s, port]`: pairs of hosts whose routes leave switch `s` by that port, routes that do not arrive left out."""
        return self._followed[1]

    @cached_property
    def groups(self) -> list[Group]:
        """All groups of two and more ports that carry anything."""
        return list(self._groups())

    def _groups(self) -> Iterator[Group]:
        largest = self._followed[2]
        for s, ports, to in self._members():
            loads = self.loads[s, ports]
            if loads.any():
                fair = max(float(loads.mean()), float(largest[s, ports].max()))
                yield Group(s, to, tuple(ports.tolist()), tuple(loads.tolist()), fair)

    def _members(self) -> Iterator[tuple[int, npt.NDArray[np.intp], int]]:
        """Switch and ports of each group, and where they lead."""
        f = self.forwarding
        for s in range(len(f.switches)):
            linked = np.flatnonzero(f.peer[s] != NOTHING)
            peers = f.peer[s, linked]
            up = linked[f.levels[peers] == f.levels[s] + 1]
            if up.size > 1:
                yield s, up, NOTHING
            for to, count in Counter(peers.tolist()).items():
                if count > 1:
                    yield s, linked[peers == to], to

    @cached_property
    def _followed(self) -> tuple[list[Missing], npt.NDArray[np.int64], Floats]:
        """Missing routes; pairs by port; and the pairs of the destination that has most, by port."""
        f = self.forwarding
        hosts = np.flatnonzero(f.is_host & (f.at_switch != NOTHING))
        loads = np.zeros((len(f.switches), PORTS), dtype=np.int64)
        largest = np.zeros((len(f.switches), PORTS))
        found: dict[tuple[int, Why], Missing] = {}
        for begin in range(0, hosts.size, _AT_ONCE):
            batch = _Batch(f, hosts[begin : begin + _AT_ONCE])
            batch.add_loads(loads, largest)
            for one in batch.missing():
                found[one.switch, one.why] = one.joined(found.get((one.switch, one.why)))
        return sorted(found.values(), key=lambda one: (-one.pairs, one.switch, one.why)), loads, largest


class _Batch:
    """Routes from all switches with hosts to some destinations. `then[s, c]`: the switch after `s` on the way to the destination
    of column `c`; NOTHING where the route ends. A row of `at`, `column` and `weight` is a switch with hosts, a column, and the
    number of hosts that send, without the destination itself."""

    def __init__(self, forwarding: Forwarding, some: npt.NDArray[np.intp]) -> None:
        self._f, self._some = forwarding, some
        out = forwarding.out[:, some]
        there = np.arange(out.shape[0])[:, None]
        self._known = out != NO_ROUTE
        self._port = np.where(self._known, out, 0).astype(np.intp)  # port 0 has no link
        self._then = forwarding.peer[there, self._port]
        self._last = _jumps(self._then)
        leaves = np.flatnonzero(forwarding.hosts_at)
        self._at, self._column = np.repeat(leaves, some.size), np.tile(np.arange(some.size), leaves.size)
        self._weight = forwarding.hosts_at[self._at] - (forwarding.at_switch[some[self._column]] == self._at)
        self._end = self._last[self._at, self._column].astype(np.intp)
        arrived = forwarding.attached[self._end, self._port[self._end, self._column]] == some[self._column]
        self._circles = self._then[self._end, self._column] != NOTHING
        self._arrives = arrived & ~self._circles

    def add_loads(self, loads: npt.NDArray[np.int64], largest: Floats) -> None:
        chosen = self._arrives & (self._weight > 0)
        at, column, weight = self._at[chosen], self._column[chosen], self._weight[chosen]
        n_some = self._some.size
        passing = np.zeros(self._then.size)
        while at.size:
            passing += np.bincount(at * n_some + column, weights=weight, minlength=passing.size)
            at = self._then[at, column].astype(np.intp)
            on = at != NOTHING
            at, column, weight = at[on], column[on], weight[on]
        flow = passing.reshape(self._then.shape)
        used = flow > 0
        key = (np.arange(len(self._then))[:, None] * PORTS + self._port)[used]
        loads += np.bincount(key, weights=flow[used], minlength=loads.size).reshape(loads.shape).astype(np.int64)
        np.maximum.at(largest.reshape(-1), key, flow[used])

    def missing(self) -> Iterator[Missing]:
        lost = ~self._arrives & (self._weight > 0)
        end, column, source, weight = self._end[lost], self._column[lost], self._at[lost], self._weight[lost]
        known = self._known[end, column]
        stray = self._f.attached[end, self._port[end, column]] != NOTHING
        why = np.select([self._circles[lost], ~known, stray], [3, 0, 2], 1)
        keys, first, group = np.unique(end * len(_WHY) + why, return_index=True, return_inverse=True)
        pairs = np.bincount(group, weights=weight, minlength=keys.size)
        columns = np.bincount(np.unique(group * self._some.size + column) // self._some.size, minlength=keys.size)
        for i, key in enumerate(keys.tolist()):
            example = int(source[first[i]]), int(self._some[column[first[i]]])
            yield Missing(key // len(_WHY), _WHY[key % len(_WHY)], int(pairs[i]), int(columns[i]), example)


def _jumps(then: Ints) -> npt.NDArray[np.int32]:
    """The switch after at least as many hops as there are switches, by switch and destination; routes that have ended stay where
    they ended. Each round doubles the hops."""
    here = np.arange(then.shape[0], dtype=np.int32)[:, None]
    hop = np.where(then == NOTHING, here, then).astype(np.int32)
    hops = 1
    while hops < then.shape[0]:
        hop, hops = np.take_along_axis(hop, hop, axis=0), 2 * hops
    return hop
