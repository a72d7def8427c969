# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fat trees of any number of levels; those of two are also called leaf-spine."""

from collections import Counter
from collections.abc import Iterator

from tuner.fabric.shapes.base import SHAPES, TOLERATED, Recognized
from tuner.fabric.shapes.switch_graph import FAR, SwitchGraph, several

_MOST, _FEW = 0.9, 0.05
"""A switch at the top has over 90 % of the hosts at one distance, and nowhere else over 5 %: OpenSM's rule for roots."""
_WORDS = {2: "two", 3: "three", 4: "four"}


class FatTree:
    rank = 2

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        tops = _tops(graph)
        if not tops:
            return None
        tree = _Tree(graph, tops)
        if not tree.fits():
            return None
        missing = tuple(tree.missing())
        height = tree.height
        middle = "".join(f", {len(tree.on[level])} switches on level {level}" for level in range(2, height))
        words = f"fat tree of {_WORDS.get(height, height)} levels{' (leaf-spine)' if height == 2 else ''}"
        return Recognized(
            kind="fat-tree",
            text=f"{words}: {len(tree.on[1])} leaves{middle} and {len(tree.on[height])} at the top",
            missing=missing,
            opensm=("ftree", "updn"),
            reason=(
                "ftree spreads the hosts of a leaf over all ways up, so that shift patterns do not meet"
                + ("; where it refuses what is missing, updn has no credit loops either" if missing else "")
            ),
            routings=("dmodk", "updown", "minhop"),
            order=tuple(tree.leaf_order()),
        )


def _tops(graph: SwitchGraph) -> list[int]:
    """Switches that pass OpenSM's test for a root, and of those the ones that are nearest to the hosts: with many leaves, leaves
    pass it too, as all hosts but their own are equally far."""
    total = sum(graph.hosts)
    usual: dict[int, int] = {}
    for s, by_hops in enumerate(graph.hosts_by_hops):
        most = max(by_hops)
        if most > _MOST * total and sum(hosts > _FEW * total for hosts in by_hops) == 1:
            usual[s] = by_hops.index(most)
    nearest = min(usual.values(), default=0)
    return [s for s, hops in usual.items() if hops == nearest]


class _Tree:
    """Levels by their distance from leaves, 1 for these; leaves are the switches with hosts at the distance from the given top at
    which most hosts are. Links and hosts that do not fit are odd."""

    def __init__(self, graph: SwitchGraph, tops: list[int]) -> None:
        self._graph = graph
        depth = graph.hops_from(tops)
        hosts_at = Counter[int]()
        for s in graph.host_switches:
            hosts_at[depth[s]] += graph.hosts[s]
        bottom = hosts_at.most_common(1)[0][0]
        self.height = bottom + 1
        leaves = [s for s in graph.host_switches if depth[s] == bottom]
        self.level = [None if hops == FAR else hops + 1 for hops in graph.hops_from(leaves)]
        self.on: dict[int, list[int]] = {level: [] for level in range(1, self.height + 1)}
        for s, level in enumerate(self.level):
            if level in self.on:
                self.on[level].append(s)
        self.odd_links = [(s, t) for s, t in graph.pairs if self._levels_apart(s, t) != 1]
        self.odd_hosts = {s: graph.hosts[s] for s in graph.host_switches if self.level[s] != 1}

    def fits(self) -> bool:
        links = sum(self._graph.links[s][t] for s, t in self.odd_links)
        return (
            self.height > 1
            and links <= TOLERATED * self._graph.num_links
            and sum(self.odd_hosts.values()) <= TOLERATED * sum(self._graph.hosts)
        )

    def _levels_apart(self, s: int, t: int) -> int | None:
        a, b = self.level[s], self.level[t]
        return None if a is None or b is None else abs(a - b)

    def missing(self) -> Iterator[str]:
        graph = self._graph
        if self.odd_links:
            words = several(len(self.odd_links), "linked pair of switches is", "linked pairs of switches are")
            yield f"{words} not on successive levels: {graph.some_pairs(self.odd_links)}"
        if self.odd_hosts:
            words = several(sum(self.odd_hosts.values()), "host port is", "host ports are")
            yield f"{words} not on a leaf but on {graph.some(self.odd_hosts)}"
        for level in range(1, self.height):
            yield from self._deviations(level, +1, "up")
        for level in range(2, self.height + 1):
            yield from self._deviations(level, -1, "down")
        yield from self._uneven_pairs()

    def _deviations(self, level: int, step: int, way: str) -> Iterator[str]:
        """Switches of a level that have fewer links to the next level than most."""
        count = {s: self._links_to(s, level + step) for s in self.on[level]}
        usual = Counter(count.values()).most_common(1)[0][0]
        fewer = [s for s, links in count.items() if links < usual]
        if fewer:
            have = {count[s] for s in fewer}
            links = str(min(have)) if len(have) == 1 else f"{min(have)} to {max(have)}"
            words = f"{len(fewer)} of {len(count)} switches on level {level} {'has' if len(fewer) == 1 else 'have'}"
            yield f"{words} {links} links {way}, most have {usual}: {self._graph.some(fewer)}"

    def _uneven_pairs(self) -> Iterator[str]:
        """Pairs on successive levels with another number of parallel links than most."""
        for level in range(1, self.height):
            links = {(s, t): n for s in self.on[level] for t, n in self._graph.links[s].items() if self.level[t] == level + 1}
            if not links:
                continue
            usual = Counter(links.values()).most_common(1)[0][0]
            other = [pair for pair, n in links.items() if n != usual]
            if other:
                yield (
                    f"{several(len(other), 'linked pair', 'linked pairs')} of {len(links)} on levels {level} and {level + 1} "
                    f"{'has' if len(other) == 1 else 'have'} other than {usual} links: {self._graph.some_pairs(other)}"
                )

    def _links_to(self, switch: int, level: int) -> int:
        return sum(n for t, n in self._graph.links[switch].items() if self.level[t] == level)

    def leaf_order(self) -> list[int]:
        """Leaves under one switch stand together, on each level, from the finest parts of the tree to the coarsest; then other
        switches with hosts."""
        order = list(self.on[1])
        for highest in range(2, self.height):
            place: dict[int, int] = {}
            for part in self._graph.parts(s for s, level in enumerate(self.level) if level is not None and 1 <= level <= highest):
                place |= dict.fromkeys(part, part[0])
            first = {part: min(s for s in self.on[1] if place[s] == part) for part in {place[s] for s in order}}
            order.sort(key=lambda s: first[place[s]])
        return [*order, *(s for s in self._graph.host_switches if s not in set(order))]


SHAPES.add("fat-tree", FatTree())
