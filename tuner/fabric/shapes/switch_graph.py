# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Switches of a fabric and the links between them, for questions about their shape. Names play no part in it."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from tuner.documents.fabric import FabricDocument, Host
from tuner.documents.printable import shortened

_NAME_LETTERS = 40


def several(count: int, one: str, many: str) -> str:
    """A number with the words that go with it, such as `several(2, "pair has", "pairs have")`."""
    return f"{count} {one if count == 1 else many}"


def is_host(document: FabricDocument, node: int) -> bool:
    """True if a node, by its number in the document, is a host and not a switch, an aggregation node or a router."""
    found = document.nodes[node]
    return isinstance(found, Host) and found.kind == "host"


class SwitchGraph:
    """Switches by their number in the document, and how many links join each two."""

    def __init__(self, document: FabricDocument) -> None:
        self.document = document
        self.size = len(document.switches)
        self.links: list[Counter[int]] = [Counter() for _ in range(self.size)]
        """Number of links to each other switch, by switch."""
        self.hosts = [0] * self.size
        """Host ports on each switch."""
        for _, a, b in document.ends():
            for own, other in ((a.node, b.node), (b.node, a.node)):
                if own >= self.size:
                    continue
                if other < self.size:
                    self.links[own][other] += 1
                elif is_host(document, other):
                    self.hosts[own] += 1
        self._names = Counter(switch.name for switch in document.switches)

    @cached_property
    def host_switches(self) -> list[int]:
        """Switches with hosts."""
        return [s for s in range(self.size) if self.hosts[s]]

    @cached_property
    def pairs(self) -> list[tuple[int, int]]:
        """Switches that are linked, the lower first."""
        return [(s, t) for s in range(self.size) for t in sorted(self.links[s]) if s < t]

    @property
    def num_links(self) -> int:
        """Links between switches, parallel ones counted each."""
        return sum(self.links[s][t] for s, t in self.pairs)

    def parts(self, among: Iterable[int] | None = None, joins: Callable[[int, int], bool] = lambda s, t: True) -> list[list[int]]:
        """Parts of the fabric that hang together, each ascending, by their lowest switch; `among`: without other switches;
        `joins`: by the links between switches for which it is true."""
        left = set(range(self.size) if among is None else among)
        parts = []
        for first in sorted(left):
            if first not in left:
                continue
            left.discard(first)
            part = [first]
            for s in part:
                found = [t for t in self.links[s] if t in left and joins(s, t)]
                left.difference_update(found)
                part.extend(found)
            parts.append(sorted(part))
        return parts

    def called(self, switch: int) -> str:
        """Name of a switch for sentences: printable, of bounded length, with its GUID where several have the name."""
        name = self.document.switches[switch].name
        guid = "" if self._names[name] == 1 else f" (guid:0x{self.document.guid_of(switch):016x})"
        return f"'{shortened(name, _NAME_LETTERS)}'{guid}"

    def some(self, switches: Collection[int]) -> str:
        """Names of at most three switches, and how many others there are."""
        names = [self.called(s) for s in sorted(switches)[:3]]
        more = len(switches) - len(names)
        return ", ".join(names) + (f" and {several(more, 'other', 'others')}" if more else "")

    def some_pairs(self, pairs: Collection[tuple[int, int]]) -> str:
        """Names of at most two pairs of switches, and how many others there are."""
        names = [f"{self.called(s)} and {self.called(t)}" for s, t in sorted(pairs)[:2]]
        more = len(pairs) - len(names)
        return "; ".join(names) + (f"; and {several(more, 'other', 'others')}" if more else "")

    def degrees(self) -> Iterator[int]:
        """Number of other switches that each switch is linked to."""
        return (len(peers) for peers in self.links)
