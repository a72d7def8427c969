# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's links sorted for drawing: those between two switches together, and those to hosts by their switch."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from tuner.documents.fabric import End, FabricDocument, Host
from tuner.documents.printable import printable

Pair: TypeAlias = tuple[int, int]
"""Two switches, the lower number first."""
Ends: TypeAlias = tuple[End, End]
"""A link: of a trunk the end at the pair's first switch first, of a host's link the switch's end first."""


@dataclass(frozen=True)
class Trunk:
    """All links between two switches, which are drawn as one line."""

    pair: Pair
    links: list[Ends] = field(default_factory=list)


class Wiring:
    """Parts of a fabric that are drawn: switches, trunks, and hosts on switches."""

    def __init__(self, document: FabricDocument, level_of: Sequence[int | None]) -> None:
        """`level_of`: by switch, its distance from the hosts, 1 for leaves; None where there are none in reach."""
        self.document = document
        self.level_of = tuple(level_of)
        self.trunks: dict[Pair, Trunk] = {}
        self.hosts: dict[int, list[Ends]] = {}
        """Links to the hosts of each switch; a host with links to two switches is in both lists."""
        self.rate_of: dict[End, str] = {}
        """Rate of each link that is drawn, by either end of it."""
        self.undrawn: Counter[str] = Counter()
        """Number of nodes of each kind that are no hosts and no switches: their links would hide what matters."""
        n_switches = len(document.switches)
        for link, *ends in document.ends():
            a, b = sorted(ends)
            if b.node < n_switches:
                trunk = self.trunks.setdefault((a.node, b.node), Trunk((a.node, b.node)))
                trunk.links.append((a, b))
            elif a.node < n_switches and self._is_host(b):
                self.hosts.setdefault(a.node, []).append((a, b))
            else:
                continue
            self.rate_of[a] = self.rate_of[b] = link.rate
        self.undrawn.update(host.kind for host in document.hosts if host.kind != "host")

    def name(self, node: int) -> str:
        """Returns a node's name, as it can be drawn."""
        return printable(self.document.nodes[node].name)

    def links(self) -> Iterator[Ends]:
        """Yields all links that are drawn."""
        for trunk in self.trunks.values():
            yield from trunk.links
        for hosts in self.hosts.values():
            yield from hosts

    @cached_property
    def peer(self) -> dict[End, End]:
        """The other end, by either end of any link."""
        return {one: other for _, a, b in self.document.ends() for one, other in ((a, b), (b, a))}

    @cached_property
    def neighbours(self) -> list[list[int]]:
        """Switches next to each switch, in ascending order."""
        found: list[list[int]] = [[] for _ in self.level_of]
        for a, b in sorted(self.trunks):
            found[a].append(b)
            found[b].append(a)
        return [sorted(near) for near in found]

    @property
    def most_hosts(self) -> int:
        """Greatest number of hosts on one switch."""
        return max(map(len, self.hosts.values()), default=0)

    def _is_host(self, end: End) -> bool:
        node = self.document.nodes[end.node]
        return isinstance(node, Host) and node.kind == "host"
