# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Draws an incast and its victims on any fabric, by the routes that packets take there.

Contributors come from a few leaves, the same number from each. A victim starts on such a leaf, shares a link between switches
with some of them, and goes elsewhere. Nothing but the congestion tree holds it back: no link that it takes has to carry more
than HEADROOM of its payload once every contributor has its fair share.

`tuner.placement` finds the first hosts that fit, for people's campaigns; here placements are a sample, drawn by a seed, so that
a result does not hang on one of them.
"""

import random
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from tuner.documents.hosts import Endport
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import BuiltFabric
from tuner.placement.room import HEADROOM

ATTEMPTS = 200

Load: TypeAlias = Mapping[tuple[int, int], float]
"""Payload in Gb/s by (switch, port), of links between switches."""


@dataclass(frozen=True, kw_only=True)
class Shape:
    """Numbers of hosts by what they do."""

    leaves: int
    """Switches from which contributors come, other than the destination's."""
    contributors_a_leaf: int
    victims_a_leaf: int
    local: int = 0
    """Contributors on the destination's own switch."""
    victims_ask: float = 0.6
    """Rate that the victims of a leaf ask for together, as a fraction of the rate that one of their hosts can send."""
    homes: tuple[str, ...] = ()
    """Switches on one of which the destination is; empty: on any."""

    @property
    def contributors(self) -> int:
        return self.leaves * self.contributors_a_leaf + self.local


@dataclass(frozen=True)
class Placement:
    """Senders and receivers, by the names that workloads use."""

    destination: str
    contributors: tuple[str, ...]
    victims: tuple[tuple[str, str], ...]


def payload_gbps(rate: str, mtu_bytes: int) -> float:
    """Returns the payload rate of a link that carries full packets."""
    return ccsim.link_data_gbps(rate) * mtu_bytes / (mtu_bytes + PACKET_OVERHEAD_BYTES)


class Places:
    """Draws placements on one fabric."""

    def __init__(self, built: BuiltFabric, shape: Shape, *, receive_gbps: float, victim_gbps: float) -> None:
        """`receive_gbps`: what a host takes. `victim_gbps`: what each victim asks for. Both of payload."""
        self._built = built
        self._shape = shape
        self._share_gbps = receive_gbps / shape.contributors
        self._victim_gbps = victim_gbps
        document = built.document
        self._carries_gbps = {
            (end.node, end.port): payload_gbps(link.rate, document.mtu_bytes) for link, *ends in document.ends() for end in ends
        }
        self._by_leaf: dict[int, list[Endport]] = {}
        for endport in built.hosts.endports:
            leaf = built.fabric.peer(endport.node, endport.port)
            if endport.kind == "host" and leaf is not None:
                self._by_leaf.setdefault(leaf[0], []).append(endport)

    def draw(self, seed: int, *, taken: Collection[str] = (), carried: Load | None = None) -> Placement:
        """Draws the parts; the same seed gives the same parts.

        `taken`: hosts that have another part, by reference. `carried`: what links carry besides.
        Raises BadInputError if the fabric has no room for it."""
        draws = random.Random(seed)
        others = {self._built.hosts.find(host) for host in taken}
        by_leaf = {leaf: [host for host in hosts if host not in others] for leaf, hosts in self._by_leaf.items()}
        for _ in range(ATTEMPTS):
            if (placement := self._attempt(draws, by_leaf, carried or {})) is not None:
                return placement
        shape = self._shape
        raise BadInputError(
            f"fabric '{self._built.document.name}' has no place for an incast of {shape.contributors} with victims: it needs "
            f"{shape.leaves} switches with {shape.contributors_a_leaf + shape.victims_a_leaf} hosts besides the destination's, "
            "and routes that victims can share with contributors"
        )

    def load(self, placement: Placement) -> Load:
        """Returns what the links between switches carry once every contributor has its fair share and every victim what it asks
        for."""
        find = self._built.hosts.find
        flows = [(host, placement.destination, self._share_gbps) for host in placement.contributors]
        flows += [(source, target, self._victim_gbps) for source, target in placement.victims]
        load_gbps: Counter[tuple[int, int]] = Counter()
        for source, target, gbps in flows:
            load_gbps.update(dict.fromkeys(self._trunks(find(source), find(target)), gbps))
        return load_gbps

    def _attempt(self, draws: random.Random, by_leaf: Mapping[int, list[Endport]], carried: Load) -> Placement | None:
        shape, needed = self._shape, self._shape.contributors_a_leaf + self._shape.victims_a_leaf
        names = self._built.fabric.node_name
        homes = [
            leaf
            for leaf, hosts in by_leaf.items()
            if len(hosts) > shape.local and (not shape.homes or names(leaf) in shape.homes)
        ]
        if not homes:
            return None
        home = draws.choice(homes)
        leaves = [leaf for leaf, hosts in by_leaf.items() if leaf != home and len(hosts) >= needed]
        if len(leaves) < shape.leaves:
            return None
        destination, *local = draws.sample(by_leaf[home], 1 + shape.local)
        chosen = [draws.sample(by_leaf[leaf], needed) for leaf in draws.sample(leaves, shape.leaves)]
        contributors = [host for hosts in chosen for host in hosts[: shape.contributors_a_leaf]] + local
        sources = [host for hosts in chosen for host in hosts[shape.contributors_a_leaf :]]
        trunks = Counter(hop for host in contributors for hop in self._trunks(host, destination))
        idle = [host for hosts in by_leaf.values() for host in hosts if host not in {destination, *contributors, *sources}]
        victims = self._victims(sources, draws.sample(idle, len(idle)), trunks, carried)
        if victims is None:
            return None
        name = self._built.hosts.reference
        return Placement(name(destination), tuple(map(name, contributors)), tuple((name(a), name(b)) for a, b in victims))

    def _victims(
        self, sources: Sequence[Endport], idle: Sequence[Endport], trunks: Counter[tuple[int, int]], carried: Load
    ) -> list[tuple[Endport, Endport]] | None:
        """A destination of its own for each source; None if there is none for one of them."""
        pairs, left = [], list(idle)
        load_gbps = {hop: count * self._share_gbps + carried.get(hop, 0.0) for hop, count in trunks.items()}
        for source in sources:
            for target in left:
                hops = self._trunks(source, target)
                with_it = {hop: load_gbps.get(hop, carried.get(hop, 0.0)) + self._victim_gbps for hop in hops}
                if trunks.keys() & set(hops) and all(with_it[hop] <= HEADROOM * self._carries_gbps[hop] for hop in hops):
                    break
            else:
                return None
            left.remove(target)
            load_gbps |= with_it
            pairs.append((source, target))
        return pairs

    def _trunks(self, source: Endport, target: Endport) -> list[tuple[int, int]]:
        """(switch, port) of each link between switches on the way."""
        fabric = self._built.fabric
        return fabric.route(fabric.endport(source.node, source.port), fabric.endport(target.node, target.port))[1:-1]
