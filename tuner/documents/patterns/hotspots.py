# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Hotspots: the C, V and B nodes of Gran et al., IPDPS 2012, sections III and V and Frame I: forests of congestion trees."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Annotated, Literal, TypeAlias

from pydantic import model_validator

from tuner.document_base.model import ListOf, Within
from tuner.documents.expanded_flow import Destinations, ExpandedFlow, Generator, make_flow
from tuner.documents.flow import MAX_TIME_S, HostReference, Role
from tuner.documents.patterns.base import PATTERNS, Ends, HostSelector, Pattern, select_all
from tuner.documents.patterns.draw import Draw, Seed
from tuner.documents.patterns.open_loop import share_gbps
from tuner.errors import BadInputError

Kind: TypeAlias = Literal["C", "V", "B"]
Percent: TypeAlias = Annotated[float, Within(0, 100)]

DEFAULT_C_PERCENT = 80.0
DEFAULT_QUEUE_MESSAGES = 4
_Generators: TypeAlias = Mapping[str, Generator]
_NONE: _Generators = MappingProxyType({})
MAX_MOVES = 100_000
"""Maximum number of places in a list; hotspots that move more often come round again."""


class Hotspots(Pattern):
    """*C nodes* send everything to a hotspot: silent trees. *V nodes* send to all others at random, and are the victims. A
    *B node* sends `p_percent` of what it can send to a hotspot and the rest to all others: windy trees. With `move_every_s`, all
    hotspots move: moving trees.

    The two kinds of traffic of a B node are two flows of one generator. With `generator: independent` each has its part of the
    node's capacity as a budget, so that neither holds the other back nor takes its place: when the one is throttled, the link is
    idle in its time. While link-level flow control holds back both, each message is drawn: to the hotspot with `p_percent`.

    Who is what, where the hotspots are, and who sends to which is drawn by `seed`. The flows are called NAME-c-1, NAME-v-1,
    NAME-b-hotspot-1 and NAME-b-uniform-1, each sort numbered from 1.
    """

    examples = (
        {"c_percent": 25, "hotspots": 4, "load": 0.4},
        {"b_nodes": 8, "p_percent": 30, "c_nodes": 2, "hotspots": 4, "load": 0.3, "move_every_s": 0.0005},
    )

    kind: Literal["hotspots"]
    role: Role | None = None
    """Role of all its flows; without it, what goes to a hotspot is a contributor, and the rest a victim."""
    hosts: ListOf[HostReference] = ("*",)
    """Hosts, or patterns of `*`, `?` and `[…]` over node descriptions, among which all of this happens."""
    hotspots: Annotated[int, Within(1)] = 8
    b_percent: Percent | None = None
    """Percentage of B nodes among the hosts; without it, 0."""
    b_nodes: Annotated[int, Within(0)] | None = None
    """The same as a number, instead of `b_percent`."""
    c_percent: Percent | None = None
    """Percentage of C nodes among the hosts that are no B nodes; without it, 80. The others are V nodes."""
    c_nodes: Annotated[int, Within(0)] | None = None
    """The same as a number, instead of `c_percent`."""
    p_percent: Percent = 50.0
    """A B node's part of traffic to its hotspot."""
    generator: Literal["independent", "strict"] = "independent"
    """How a B node generates its messages: as in Frame I, or one message after the other, to the hotspot with `p_percent`, where
    the next has to wait until the queue of its destination has room."""
    queue_messages: Annotated[int, Within(1, 65536)] | None = None
    """Messages that a destination's queue holds, of a `strict` generator; without it, 4."""
    active: ListOf[Kind] = ("C", "V", "B")
    """Kinds of nodes that send. Leaving some out does not change what the others do, so that they can be measured alone."""
    load: Annotated[float, Within(0, 1, above=True)] | None = None
    """Load of every node, as a fraction of what it can send; without it, C and V nodes send all they can, and B nodes 1."""
    move_every_s: Annotated[float, Within(1e-9, MAX_TIME_S)] | None = None
    """Time that the hotspots stay where they are; without it, they never move."""
    message_bytes: Annotated[int, Within(1, 2**31)] = 4096
    """Two packets of 2,048 bytes, as in the paper."""
    seed: Seed = 1

    def expand(self, hosts: HostSelector, duration_s: float) -> list[ExpandedFlow]:
        members = select_all(hosts, self.hosts)
        draw = Draw(self.seed)
        nodes = self._nodes(members, draw)
        n_slots = 1
        if self.move_every_s is not None:
            end_s = duration_s if self.stop_s is None else min(self.stop_s, duration_s)
            n_slots = min(max(1, math.ceil((end_s - self.start_s) / self.move_every_s - 1e-9)), MAX_MOVES)
        slots = [draw.sample(members, self.hotspots) for _ in range(n_slots)]
        trees: list[str | Destinations] = [
            Destinations("moving", places, self.move_every_s) if self.move_every_s is not None and n_slots > 1 else places[0]
            for places in zip(*slots, strict=True)
        ]
        everyone = Destinations("uniform", tuple(members))
        p = self.p_percent / 100
        queue_messages = None if self.generator == "independent" else self.queue_messages or DEFAULT_QUEUE_MESSAGES
        generators = {src: Generator(queue_messages) for src in nodes.b}
        flows = [
            *self._to_hotspots(hosts, "C", "c", _dealt(nodes.c, trees), 1.0),
            *self._to_all(hosts, "V", "v", nodes.v, everyone, 1.0),
            *self._to_hotspots(hosts, "B", "b-hotspot", _dealt(nodes.b, trees), p, generators),
            *self._to_all(hosts, "B", "b-uniform", nodes.b, everyone, 1 - p, generators),
        ]
        if not flows:
            counts = f"{len(nodes.c)} C, {len(nodes.v)} V and {len(nodes.b)} B nodes"
            raise BadInputError(
                f"pattern '{self.name}' has {counts}, and none of them sends; see c_percent, b_percent and active"
            )
        return flows

    def _nodes(self, members: list[str], draw: Draw) -> "_Nodes":
        n_b = self.b_nodes if self.b_nodes is not None else _rounded(len(members) * (self.b_percent or 0) / 100)
        c_percent = DEFAULT_C_PERCENT if self.c_percent is None else self.c_percent
        n_c = self.c_nodes if self.c_nodes is not None else _rounded((len(members) - n_b) * c_percent / 100)
        if n_b + n_c > len(members) or self.hotspots > len(members) or len(members) < 3:
            raise BadInputError(
                f"pattern '{self.name}' needs {n_c} C nodes, {n_b} B nodes and {self.hotspots} hotspots, but finds "
                f"{len(members)} hosts; it needs at least 3, as many as C and B nodes together, and as many as hotspots"
            )
        shuffled = draw.shuffled(members)
        return _Nodes(c=shuffled[:n_c], b=shuffled[n_c : n_c + n_b], v=shuffled[n_c + n_b :])

    def _to_hotspots(
        self, hosts: HostSelector, kind: Kind, sort: str, ends: Ends, share: float, generators: _Generators = _NONE
    ) -> list[ExpandedFlow]:
        return [
            self._flow(hosts, sort, i, src, dst, "contributor", share, generators.get(src))
            for i, (src, dst) in enumerate(ends)
            if self._sends(kind, share)
        ]

    def _to_all(
        self,
        hosts: HostSelector,
        kind: Kind,
        sort: str,
        sources: list[str],
        everyone: Destinations,
        share: float,
        generators: _Generators = _NONE,
    ) -> list[ExpandedFlow]:
        return [
            self._flow(hosts, sort, i, src, everyone, "victim", share, generators.get(src))
            for i, src in enumerate(sources)
            if self._sends(kind, share)
        ]

    def _sends(self, kind: Kind, share: float) -> bool:
        return kind in self.active and share > 0

    def _flow(
        self,
        hosts: HostSelector,
        sort: str,
        i: int,
        src: str,
        dst: str | Destinations,
        role: Role,
        share: float,
        generator: Generator | None,
    ) -> ExpandedFlow:
        rate_gbps = None
        if self.load is not None or generator is not None:
            rate_gbps = share_gbps(hosts.capacity_gbps(src, self.message_bytes), share * (self.load or 1.0))
        name = f"{self.name}-{sort}-{i + 1}"
        return make_flow(self, name=name, src=src, dst=dst, role=self.role or role, rate_gbps=rate_gbps, generator=generator)

    @model_validator(mode="after")
    def _is_said_once(self) -> "Hotspots":
        for percent, nodes in (("b_percent", "b_nodes"), ("c_percent", "c_nodes")):
            both = getattr(self, percent), getattr(self, nodes)
            if None not in both:
                raise ValueError(f"gives both {percent} {both[0]:g} and {nodes} {both[1]}; one of them is enough")
        if self.queue_messages is not None and self.generator != "strict":
            raise ValueError(f"has queue_messages {self.queue_messages}, which go with generator strict, not {self.generator}")
        if self.rate_gbps is not None:
            raise ValueError(f"has a rate_gbps of {self.rate_gbps:g}; use load instead, a fraction of what each node can send")
        if self.qps > 1:
            raise ValueError(f"has {self.qps} qps, but it sends to many hosts over one connection to each; leave out qps")
        return self


@dataclass(frozen=True)
class _Nodes:
    """Disjoint sets of hosts."""

    c: list[str]
    v: list[str]
    b: list[str]


def _rounded(value: float) -> int:
    return math.floor(value + 0.5)


def _dealt(sources: list[str], trees: list[str | Destinations]) -> Ends:
    """Every source with its hotspot: subsets of equal size, give or take one. A fixed hotspot that is dealt itself trades places
    with a source of another subset; where there is no other hotspot, it sends nothing."""
    order = [(src, i % len(trees)) for i, src in enumerate(sources)]
    for i, (src, tree) in enumerate(order):
        if src == trees[tree]:
            other = next((j for j, (_, its) in enumerate(order) if its != tree), None)
            if other is None:  # it is the only source
                order[i] = src, (tree + 1) % len(trees)
            else:
                order[i], order[other] = (src, order[other][1]), (order[other][0], tree)
    return [(src, trees[tree]) for src, tree in order if src != trees[tree]]


PATTERNS.add("hotspots", Hotspots)
