# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A sound fabric, and what uniform traffic and single flows put on its ports."""

import random
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.fabric.built_fabric import BuiltFabric, build

JOB_SHARE = 0.3
"""Part of a link that a job's flow asks for; with the background of 60 % no port is full."""
_TRIES = 2000


@dataclass(frozen=True)
class Ground:
    """One fabric without faults. `hosts` with one port each take part."""

    name: str
    document: FabricDocument

    @cached_property
    def built(self) -> BuiltFabric:
        return build(self.document)

    @cached_property
    def hosts(self) -> tuple[str, ...]:
        ports = Counter(end.name for end in self.built.hosts.endports if end.kind == "host")
        subnets = self.document.subnets
        numbers = Counter(subnets.get((end.node, end.port), 0) for end in self.built.hosts.endports if end.kind == "host")
        largest = numbers.most_common(1)[0][0]
        ends = [end for end in self.built.hosts.endports if end.kind == "host" and ports[end.name] == 1]
        return tuple(end.name for end in ends if subnets.get((end.node, end.port)) == largest)

    @cached_property
    def line_gbps(self) -> float:
        """Rate of the slowest link of a host, which all jobs can have."""
        return min(ccsim.link_data_gbps(link.rate) for link in self.document.links)

    @cached_property
    def background_gbps(self) -> float:
        """What each host may send to all others at random until the busiest port is full."""
        loads = Counter(port for src in self.hosts for dst in self.hosts if src != dst for port in self.route(src, dst))
        return self.line_gbps * (len(self.hosts) - 1) / max(loads.values())

    def route(self, src: str, dst: str) -> tuple[str, ...]:
        ends = [self.built.hosts.find(host) for host in (src, dst)]
        ports = self.built.fabric.route(*(self.built.fabric.endport(end.node, end.port) for end in ends))
        return tuple(f"{self.built.fabric.node_name(node)}/{port}" for node, port in ports)

    def jobs(self, rng: random.Random, count: int) -> list[tuple[str, str]]:
        """Returns pairs of hosts whose flows share no port, over a link between switches each, as far as there are so many."""
        found: list[tuple[str, str]] = []
        taken, used = set[str](), set[str]()
        for _ in range(_TRIES):
            src, dst = rng.sample(self.hosts, 2)
            route = self.route(src, dst)
            if len(route) < 3 or taken & {src, dst} or used & set(route):
                continue
            found.append((src, dst))
            taken |= {src, dst}
            used |= set(route)
            if len(found) == count:
                break
        return found

    def link_between_switches(self, route: Sequence[str], rng: random.Random) -> int:
        """Returns the place in the document of a link on a route."""
        inner = set(route[1:-1])
        return rng.choice([i for i, link in enumerate(self.document.links) if {link.a, link.b} & inner])
