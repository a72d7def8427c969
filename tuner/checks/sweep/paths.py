# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pairs of hosts, the links that lie between them, and the rates that they can all have at once."""

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.hosts import Endport
from tuner.fabric.built_fabric import BuiltFabric

MESSAGE_BYTES = 65536
LOAD = 0.9
"""Part of what the narrowest place on the way can carry that a pair is to send: the rest is for others, and for control."""


@dataclass(frozen=True)
class Pair:
    """`src`, `dst`: references of hosts. `ways`: the ports that its packets leave through, as (node, port), the sender's first.
    `links`: numbers of the links, as the fabric's document has them."""

    src: str
    dst: str
    ways: tuple[tuple[int, int], ...] = field(compare=False)
    links: tuple[int, ...] = field(compare=False)


class Paths:
    """All that a sweep must know of a fabric."""

    def __init__(self, built: BuiltFabric) -> None:
        self._built = built
        self._link_of = {(end.node, end.port): i for i, (_, *ends) in enumerate(built.document.ends()) for end in ends}
        self.links = len(built.document.links)
        there = [one for one in built.hosts.endports if one.kind == "host"]
        self.hosts: tuple[Endport, ...] = tuple(sorted(there, key=lambda one: (self.leaf(one), one.node, one.port)))
        """Those at one switch follow each other."""
        self._reference = {one: built.hosts.reference(one) for one in self.hosts}
        self._number = {reference: i for i, reference in enumerate(self._reference.values())}
        self._ports_of: dict[str, Counter[int]] = {}
        """By a host's name, the number of ports of each node that has it."""
        for host in self.hosts:
            self._ports_of.setdefault(host.name, Counter())[host.node] += 1

    def number(self, reference: str) -> int:
        """The place of a host among `hosts`."""
        return self._number[reference]

    @property
    def references(self) -> frozenset[str]:
        """Returns the references of all hosts."""
        return frozenset(self._number)

    def machine(self, reference: str) -> int:
        """The number of the node, which all ports of a host have."""
        return self.hosts[self._number[reference]].node

    def shown(self, reference: str) -> str:
        """A host by its name, with the port's number if it has several; by its reference if others have its name."""
        host = self.hosts[self._number[reference]]
        ports_of = self._ports_of[host.name]
        if len(ports_of) > 1:
            return reference
        return f"{host.name}/{host.port}" if ports_of[host.node] > 1 else host.name

    def find_two(self, src: str, dst: str) -> tuple[Endport, Endport]:
        return self.hosts[self._number[src]], self.hosts[self._number[dst]]

    def find(self, references: Iterable[str]) -> list[Endport]:
        """Returns these hosts in the order of `hosts`. Raises BadInputError."""
        wanted = {self._built.hosts.find(reference) for reference in references}
        return [one for one in self.hosts if one in wanted]

    def pair(self, src: Endport, dst: Endport) -> Pair | None:
        """None for one host, and for two of which one does not reach the other."""
        if src.node == dst.node:
            return None
        fabric = self._built.fabric
        try:
            way = fabric.route(*(fabric.endport(end.node, end.port) for end in (src, dst)))
        except RuntimeError:
            return None
        ways = tuple((node, port) for node, port in way)
        return Pair(self._reference[src], self._reference[dst], ways, tuple(self._link_of[one] for one in ways))

    def rates_gbps(self, pairs: Sequence[Pair]) -> list[float]:
        """Returns what each pair is to send while all send: LOAD of its part of each link on its way, and of what its hosts
        can."""
        over = Counter(way for pair in pairs for way in pair.ways)
        sends, receives = Counter(pair.src for pair in pairs), Counter(pair.dst for pair in pairs)
        return [
            LOAD
            * min(
                self._built.hosts.capacity_gbps(pair.src, MESSAGE_BYTES) / sends[pair.src],
                self._receives_gbps(pair.dst) / receives[pair.dst],
                *(self._carries_gbps(way) / over[way] for way in pair.ways),
            )
            for pair in pairs
        ]

    def inner(self, pair: Pair) -> tuple[tuple[int, int], ...]:
        """The ports that lead from switch to switch."""
        return pair.ways[1:-1]

    def link_name(self, way: tuple[int, int]) -> tuple[str, str]:
        """The names of both ends of the link that a port has."""
        fabric = self._built.fabric
        peer = fabric.peer(*way)
        assert peer is not None
        return tuple(f"{fabric.node_name(node)}/{port}" for node, port in (way, peer))  # type: ignore[return-value]

    def places(self, pairs: Sequence[Pair]) -> frozenset[str]:
        """The hosts of these pairs, and the ports between switches that their packets leave through."""
        ports = {way for pair in pairs for way in self.inner(pair)}
        ends = {self.shown(end) for pair in pairs for end in (pair.src, pair.dst)}
        return frozenset(ends | {self.link_name(way)[0] for way in ports})

    def carries_gbps(self, host: Endport) -> float:
        """What a host's link carries; 0 without any."""
        return 0.0 if self.leaf(host) < 0 else self._carries_gbps((host.node, host.port))

    def leaf(self, host: Endport) -> int:
        """The node that a host is plugged into; -1 without any."""
        peer = self._built.fabric.peer(host.node, host.port)
        return -1 if peer is None else peer[0]

    def _carries_gbps(self, way: tuple[int, int]) -> float:
        link = self._built.fabric.link(*way)
        assert link is not None
        mtu = self._built.document.mtu_bytes
        packets = -(-MESSAGE_BYTES // mtu)
        return ccsim.link_data_gbps(link[0]) * MESSAGE_BYTES / (MESSAGE_BYTES + packets * PACKET_OVERHEAD_BYTES)

    def _receives_gbps(self, reference: str) -> float:
        node = self._built.hosts.find(reference).node
        limit = self._built.document.receive_limit_gbps(node - len(self._built.document.switches))
        return float("inf") if limit is None else limit
