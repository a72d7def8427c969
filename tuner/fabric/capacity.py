# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How much of what a fabric's links could carry its routing lets through, and a warning where that is less than half.

Two numbers are compared, both as shares of what the links of hosts allow when each host sends equally to each other. One is what
the routes carry (`engine_loads`). The other bounds all routings: what leads out of a leaf, out of a part of a tree below some
level, or out of a part that only the busiest links of shortest routes join to others has to carry all pairs of hosts inside and
outside; and all links between switches together have to carry each pair over at least as many links as the shortest way has. No
routing by forwarding tables need reach that bound.

Routings balance destinations as they come, so that the routes depend on the order of GUIDs. Nine random orders show how much.
"""

import statistics
from collections import deque
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tuner.documents.fabric import FabricDocument, NodeNames
from tuner.fabric.built_fabric import BuiltFabric, build, connected
from tuner.fabric.engine_loads import LoadCounter
from tuner.fabric.levels import Levels, levels
from tuner.fabric.shapes.switch_graph import SwitchGraph, several
from tuner.fabric.subnets import largest, of_subnet, subnets

ORDERS = 9
"""Random orders in which destinations are taken."""
LOW = 0.5
"""Share of the best below which stands a warning."""
_MOST_ENTRIES = 5_000_000
"""Entries of forwarding tables, switches by hosts, up to which random orders are tried: nine routings take two seconds there."""
_JOINTS = 64
"""Places where two parts of the fabric join that are looked at, those that the busiest links join first."""
_IN_ORDER = ("dmodk", "minhop", "updown")
"""Routings whose routes depend on the order of destinations."""


@dataclass(frozen=True, kw_only=True)
class Bound:
    """The most that any routing could carry. `share`: of what the links of hosts allow, at most 1; `limit`: what sets it."""

    share: float
    limit: str


@dataclass(frozen=True, kw_only=True)
class Orders:
    """Shares in random orders of destinations."""

    median: float
    low: float
    high: float

    def to_json(self) -> dict[str, float]:
        return {"median": round(self.median, 4), "low": round(self.low, 4), "high": round(self.high, 4)}


@dataclass(frozen=True, kw_only=True)
class Capacity:
    """What a routing carries, beside the most that any could. `share`: as OpenSM's order of destinations gives it; `orders`: in
    random ones, None where they were not tried or routes do not depend on it."""

    fabric: str
    routing: str
    share: float
    best: Bound
    orders: Orders | None = None

    @property
    def of_best(self) -> float:
        """Share of the best, 0 to 1."""
        return self.share / self.best.share if self.best.share else 1.0

    @property
    def is_low(self) -> bool:
        return self.of_best < LOW

    @property
    def warning(self) -> str | None:
        """A sentence if the routing carries less than half of what the links could."""
        if not self.is_low:
            return None
        return (
            f"by routing {self.routing}, fabric '{self.fabric}' carries {self.share:.0%} of what the links of hosts allow under "
            f"uniform traffic, less than half of the {self.best.share:.0%} that its links could ({self.best.limit}), so results "
            "show the routing more than the profile"
        )

    @property
    def ways_out(self) -> tuple[str, ...]:
        """Sentences about what to do, if the share is low."""
        if not self.is_low:
            return ()
        return (
            "run OpenSM by the advised line: `ibcc fabric routing FABRIC --for-opensm FOLDER` tries engines and writes the best",
            "import the tables that the site's OpenSM has: `ibcc fabric import FILE --routes opensm-lfts.dump`",
            "take another routing: `ibcc fabric routing FABRIC` compares them",
        )

    def told(self) -> str | None:
        """Returns the warning with the ways out, in one sentence; None if the share is not low."""
        return None if self.warning is None else f"{self.warning}; {', or '.join(self.ways_out)}"

    def to_json(self) -> dict[str, Any]:
        return {
            "routing": self.routing,
            "share": round(self.share, 4),
            "best": round(self.best.share, 4),
            "limit": self.best.limit,
            "of_best": round(self.of_best, 4),
            "orders": None if self.orders is None else self.orders.to_json(),
            "warning": self.warning,
            "ways_out": list(self.ways_out),
        }


def capacity(built: BuiltFabric, *, orders: bool = False) -> Capacity | None:
    """Returns what the routes of a fabric carry, or, if it has several subnets, those of the largest; None with fewer than two
    hosts, and where some hosts do not reach each other. `orders`: try random orders too, unless the fabric is very large."""
    found = subnets(built.document)
    if len(found) > 1:
        built = build(of_subnet(built.document, largest(found).number))
    document = built.document
    graph = SwitchGraph(document)
    counter = LoadCounter(document, built.fabric, graph.host_switches)
    share = counter.uniform_share()
    if share is None:
        return None
    return Capacity(
        fabric=document.name,
        routing=document.routing,
        share=share,
        best=best_share(graph, counter, lambda: _bare(document, graph)),
        orders=random_orders(document, _bare(document, graph)) if orders else None,
    )


def low_capacity(built: BuiltFabric) -> str | None:
    """Returns the warning with the ways out if the routes of a fabric carry less than half of what its links could."""
    found = capacity(built)
    return None if found is None else found.told()


def _bare(document: FabricDocument, graph: SwitchGraph) -> LoadCounter:
    """A counter on a fabric of its own, since the routes of one that is shared stay."""
    return LoadCounter(document, connected(document).fabric, graph.host_switches)


def best_share(graph: SwitchGraph, counter: LoadCounter, other: Callable[[], LoadCounter]) -> Bound:
    """Returns the most that any routing of the fabric could carry. `other`: makes a counter whose routes are
    overwritten."""
    found = levels(graph)
    parts = [[s] for s in graph.host_switches]
    parts += _below_levels(graph, found.level_of)
    free = None
    if not _is_plain_tree(graph, found):
        free = other()
        free.fabric.route_by("minhop")
        parts += _joined_by_the_busiest(graph, free.use_of_links())
    bounds = [Bound(share=1.0, limit="the links of hosts"), *_cuts(graph, parts, counter)]
    if free is not None and not all(found.in_tree[s] for s in graph.host_switches):
        gbps, pair_links = free.volume()
        if pair_links:
            share = gbps * (counter.hosts - 1) / pair_links / counter.host_gbps
            bounds.append(Bound(share=share, limit="all links between switches together"))
    return min(bounds, key=lambda one: one.share)


def random_orders(document: FabricDocument, counter: LoadCounter) -> Orders | None:
    """Returns what the document's routing carries in random orders of destinations; None where the routing depends on none, or
    the fabric is very large. `counter`: its fabric's routes are overwritten."""
    by_tables = document.lfts or document.forwarding or document.routing not in _IN_ORDER
    if by_tables or len(document.switches) * counter.hosts > _MOST_ENTRIES:
        return None
    nodes = NodeNames(document)
    roots = [nodes.switch(root) for root in document.roots]
    shares = []
    for seed in range(1, ORDERS + 1):
        try:
            counter.fabric.route_by(document.routing, roots=roots, order_seed=seed)
        except ValueError:  # the routing refuses the fabric
            return None
        shares.append(counter.uniform_share() or 0.0)
    return Orders(median=statistics.median(shares), low=min(shares), high=max(shares))


def _is_plain_tree(graph: SwitchGraph, found: Levels) -> bool:
    """True if the fabric is a tree in which links join successive levels only."""
    level = found.level_of
    apart = {None if (low := level[s]) is None or (high := level[t]) is None else abs(low - high) for s, t in graph.pairs}
    return apart <= {1} and all(found.in_tree[s] for s in graph.host_switches)


def _below_levels(graph: SwitchGraph, level_of: Sequence[int | None]) -> list[list[int]]:
    """Parts that the fabric falls into without the switches above a level, for each level between the leaves and the top."""
    parts = []
    for height in sorted({level for level in level_of if level is not None})[1:-1]:
        parts += graph.parts(s for s, level in enumerate(level_of) if level is not None and level <= height)
    return parts


def _joined_by_the_busiest(graph: SwitchGraph, use: Mapping[tuple[int, int], float]) -> list[list[int]]:
    """Parts that the fabric falls into as its busiest links are taken away one after the other: where few links join what were
    fabrics of their own, all routes between these lead over them. Those of the busiest joints alone, as leaves bound small parts.
    `use`: of the links between two switches."""
    part_of = {s: [s] for s in range(graph.size)}
    joined: deque[list[int]] = deque(maxlen=2 * _JOINTS)
    for s, t in sorted(use, key=lambda pair: (use[pair], pair)):
        small, large = sorted((part_of[s], part_of[t]), key=len)
        if small is not large:
            joined.extend((list(small), list(large)))
            large += small
            part_of.update(dict.fromkeys(small, large))
    return [part for part in joined if len(part) > 1]


def _cuts(graph: SwitchGraph, parts: Sequence[Sequence[int]], counter: LoadCounter) -> Iterator[Bound]:
    """Bounds by what leads out of each of some parts of the fabric."""
    for part in parts:
        inside = sum(graph.hosts[s] for s in part)
        outside = counter.hosts - inside
        if inside and outside:
            share = counter.gbps_out_of(part) * (counter.hosts - 1) / (inside * outside) / counter.host_gbps
            yield Bound(share=share, limit=_limit(graph, part, inside))


def _limit(graph: SwitchGraph, part: Sequence[int], hosts: int) -> str:
    inside = set(part)
    links = sum(n for s in part for t, n in graph.links[s].items() if t not in inside)
    of = graph.called(part[0]) if len(part) == 1 else f"{len(part)} switches around {graph.called(part[0])}"
    return f"{several(links, 'link leads', 'links lead')} out of {of} with {several(hosts, 'host', 'hosts')}"
