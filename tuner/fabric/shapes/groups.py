# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Groups of switches, each of which has links to each other group: what dragonflies of both kinds share."""

from collections import Counter
from collections.abc import Iterator
from itertools import combinations

from tuner.fabric.shapes.base import TOLERATED
from tuner.fabric.shapes.switch_graph import SwitchGraph, several


class Groups:
    """Groups in ascending order of their lowest switch, and the links between each two."""

    def __init__(self, graph: SwitchGraph, groups: list[list[int]]) -> None:
        self.graph = graph
        self.groups = groups
        group_of = {s: i for i, group in enumerate(groups) for s in group}
        self.between: Counter[tuple[int, int]] = Counter()
        for s, t in graph.pairs:
            a, b = sorted((group_of[s], group_of[t]))
            if a != b:
                self.between[a, b] += graph.links[s][t]

    def joined(self) -> bool:
        """True if there are several groups and almost all pairs of them are linked."""
        pairs = len(self.groups) * (len(self.groups) - 1) // 2
        return pairs > 0 and len(self.between) >= (1 - TOLERATED) * pairs

    def missing(self) -> Iterator[str]:
        """Sentences about groups that are smaller than most, and about pairs with fewer links."""
        sizes = Counter(len(group) for group in self.groups)
        usual = sizes.most_common(1)[0][0]
        smaller = [group for group in self.groups if len(group) < usual]
        if smaller:
            words = several(len(smaller), "group has", "groups have")
            yield f"{words} fewer than {usual} switches: with {self.graph.some([group[0] for group in smaller])}"
        unlinked = [pair for pair in combinations(range(len(self.groups)), 2) if pair not in self.between]
        if unlinked:
            yield f"{several(len(unlinked), 'pair of groups has', 'pairs of groups have')} no link: {self._called(unlinked)}"
        links = Counter(self.between.values()).most_common(1)[0][0]
        fewer = [pair for pair, count in self.between.items() if count < links]
        if fewer:
            words = several(len(fewer), "pair of groups has", "pairs of groups have")
            yield f"{words} fewer than {links} links: {self._called(fewer)}"

    def _called(self, pairs: list[tuple[int, int]]) -> str:
        return "those of " + self.graph.some_pairs([(self.groups[a][0], self.groups[b][0]) for a, b in pairs])

    @property
    def sizes(self) -> str:
        """Sizes of the groups as text: one number, or a range."""
        sizes = [len(group) for group in self.groups]
        return str(sizes[0]) if min(sizes) == max(sizes) else f"{min(sizes)} to {max(sizes)}"

    def order(self) -> tuple[int, ...]:
        """Switches with hosts, group by group."""
        return tuple(s for group in self.groups for s in group if self.graph.hosts[s])
