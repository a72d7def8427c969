# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Dragonflies (Kim, Dally, Scott and Abts, "Technology-driven, highly-scalable dragonfly topology", ISCA 2008)."""

from itertools import combinations
from typing import Annotated

from tuner.document_base.model import Within, misplaced
from tuner.fabric.topologies.base import MAX_PORTS, TOPOLOGIES, PortsTaken, Size, Topology
from tuner.fabric.topologies.layout import Counts, Layout


class Dragonfly(Topology):
    """Groups of a switches, all linked to each other, with p hosts and h links to other groups on each switch.

    The links between groups follow the canonical ("absolute", "consecutive") arrangement: a group's links to others, a·h of them
    counted along its switches, lead to the other groups in ascending order, repeatedly as often as all of them get one; the
    ports that are left over stay free. The switches of group 1 are S1-1, S1-2, …; a switch has its hosts on its lowest ports,
    then the other switches of its group in order, then its links to other groups.
    """

    # Shortest routes, local, global, local, have credit loops on one VL.
    suited_routing = "updown"
    examples = (
        {"a": 2, "p": 1, "h": 1},
        {"a": 4, "p": 2, "h": 2},
        {"a": 4, "p": 1, "h": 2, "groups": 4},
        {"a": 3, "p": 2, "h": 1, "groups": 2},
        {"a": 5, "p": 1, "h": 1, "groups": 1},
        {"a": 1, "p": 2, "h": 4},
    )

    a: PortsTaken
    """Switches of a group."""
    p: PortsTaken
    """Hosts on a switch."""
    h: Annotated[int, Within(0, MAX_PORTS)]
    """Links of a switch to other groups."""
    groups: Size | None = None
    """Groups; by default a·h + 1, as many as one link between each two of them can join."""

    @property
    def group_count(self) -> int:
        return self.a * self.h + 1 if self.groups is None else self.groups

    @property
    def links_between_two_groups(self) -> int:
        return self.a * self.h // (self.group_count - 1) if self.group_count > 1 else 0

    def check(self) -> None:
        if self.group_count > self.a * self.h + 1:
            most = f"a·h = {self.a * self.h} links to other groups reach {self.a * self.h + 1} groups at most"
            raise misplaced(f"groups is {self.groups}; {most}")

    def expected(self) -> Counts:
        a, g = self.a, self.group_count
        within, between = g * a * (a - 1) // 2, g * (g - 1) // 2 * self.links_between_two_groups
        return Counts(hosts=g * a * self.p, switches=g * a, links=g * a * self.p + within + between)

    def switch_ports(self) -> int:
        return self.p + self.a - 1 + self.h

    def diameter(self) -> int | None:
        if self.group_count == 1 or self.a == 1:
            return int(self.a > 1 or self.group_count > 1)
        return 3 if self.links_between_two_groups == 1 else None

    def lay_out(self, layout: Layout) -> None:
        a, p, g = self.a, self.p, self.group_count
        groups: list[list[str]] = []
        for group in range(g):
            groups.append([layout.switch(f"S{group + 1}-{i + 1}", self.switch_ports()) for i in range(a)])
            for name in groups[group]:
                for port in range(1, p + 1):
                    layout.host(name, port)
        for names in groups:
            for low, high in combinations(range(a), 2):
                layout.link(names[low], p + high, names[high], p + low + 1)
        for low, high in combinations(range(g), 2):
            for turn in range(self.links_between_two_groups):
                layout.link(*self._global(groups[low], turn, high - 1), *self._global(groups[high], turn, low))

    def _global(self, group: list[str], turn: int, other: int) -> tuple[str, int]:
        """Switch and port of a group's link to the `other`th of the other groups, in the given round."""
        switch, port = divmod(turn * (self.group_count - 1) + other, self.h)
        return group[switch], self.p + self.a + port


TOPOLOGIES.add("dragonfly", Dragonfly)
