# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fat trees of any number of levels; those of two are also called leaf-spine."""

from collections import Counter
from collections.abc import Iterator
from typing import TypedDict

from tuner.fabric.levels import Levels, levels
from tuner.fabric.shapes.base import SHAPES, Recognized
from tuner.fabric.shapes.switch_graph import SwitchGraph, several


class _Engines(TypedDict):
    opensm: tuple[str, ...]
    reason: str
    routings: tuple[str, ...]
    by_load: bool
    against_loops: tuple[str, ...]


_WORDS = {2: "two", 3: "three", 4: "four"}


class FatTree:
    rank = 3

    def recognize(self, graph: SwitchGraph) -> Recognized | None:
        found = levels(graph)
        if not all(found.in_tree[s] for s in graph.host_switches):
            return None
        tree = _Tree(graph, found)
        missing = tuple(tree.missing())
        height = tree.height
        middle = "".join(f", {len(tree.on[level])} switches on level {level}" for level in range(2, height))
        words = f"fat tree of {_WORDS.get(height, height)} levels{' (leaf-spine)' if height == 2 else ''}"
        return Recognized(
            kind="fat-tree",
            text=f"{words}: {len(tree.on[1])} leaves{middle} and {len(tree.on[height])} at the top",
            missing=missing,
            **_engines(graph, found, bool(missing)),
            order=tuple(tree.leaf_order()),
        )


def _engines(graph: SwitchGraph, found: Levels, damaged: bool) -> _Engines:
    """Returns the engines that suit the tree."""
    if damaged and sum(graph.hosts[top] > 0 for top in found.tops) < 2:
        return {
            "opensm": ("updn", "ftree"),
            "reason": "where links are missing, updn has no credit loops",
            "routings": ("updown", "dmodk", "minhop"),
            "by_load": True,
            "against_loops": (),
        }
    reason = "ftree spreads the hosts of a leaf over all ways up, so that shift patterns do not meet"
    if damaged:
        reason += "; hosts on several top switches reach each other by its reverse hops, which updn has not"
    return {
        "opensm": ("ftree", "updn"),
        "reason": reason,
        "routings": ("dmodk", "updown", "minhop"),
        "by_load": False,
        "against_loops": ("nue", "updn") if damaged else (),
    }


class _Tree:
    """Levels of a tree: 1 for leaves, which are the switches that most hosts are on. Links and hosts that do not fit are odd."""

    def __init__(self, graph: SwitchGraph, found: Levels) -> None:
        self._graph = graph
        self.level = found.level_of
        self.height = max(level for level in found.level_of if level is not None)
        self.on: dict[int, list[int]] = {level: [] for level in range(1, self.height + 1)}
        for s, level in enumerate(self.level):
            if level is not None:
                self.on[level].append(s)
        self.odd_links = [(s, t) for s, t in graph.pairs if self._levels_apart(s, t) != 1]
        self.odd_hosts = {s: graph.hosts[s] for s in graph.host_switches if self.level[s] != 1}

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
