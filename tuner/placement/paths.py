# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routes between hosts as the links between switches that they take."""

from collections.abc import Sequence
from typing import TypeAlias

from tuner.fabric.built_fabric import BuiltFabric

Link: TypeAlias = tuple[int, int]
"""A directed one: the node and the port by which packets leave."""

_RECEIVERS = 200
"""Number of hosts that are tried as the hotspot, spread over the fabric; rounding makes it up to twice as many."""

_MOST_STEPS = 2_000_000
"""Number of routes that one search looks at: some two seconds."""


class Paths:
    """Looks each route up once: hosts of one switch have the same way from there on."""

    def __init__(self, built: BuiltFabric, candidates: Sequence[str]) -> None:
        """`candidates`: references of hosts on the fabric, those that are preferred first."""
        self.candidates = list(candidates)
        self._built = built
        self._index: dict[str, int] = {}
        self._leaf: dict[str, int] = {}
        self._known: dict[tuple[int, str], tuple[Link, ...] | None] = {}
        self._steps = 0

    @property
    def exhausted(self) -> bool:
        """The search has looked at so many routes that it ends without a result."""
        return self._steps > _MOST_STEPS

    def between_switches(self, src: str, dst: str) -> tuple[Link, ...]:
        """Returns the links that packets from `src` to `dst` take, the hosts' own left out; none without a route."""
        return self._route(src, dst) or ()

    def reaches(self, src: str, dst: str) -> bool:
        """Packets from `src` reach `dst`, and notifications the way back."""
        return self._route(src, dst) is not None and self._route(dst, src) is not None

    def leaf(self, host: str) -> int:
        """Returns the node that a host is linked to."""
        if host not in self._leaf:
            endport = self._built.hosts.find(host)
            peer = self._built.fabric.peer(endport.node, endport.port)
            self._leaf[host] = -1 - endport.node if peer is None else peer[0]
        return self._leaf[host]

    @property
    def leaves(self) -> int:
        """Number of switches that the candidates are linked to."""
        return len({self.leaf(host) for host in self.candidates})

    @property
    def receivers(self) -> list[str]:
        """Hosts to try as the hotspot, spread over the list."""
        step = max(1, len(self.candidates) // _RECEIVERS)
        return self.candidates[::step]

    def text(self, link: Link) -> str:
        """Returns a link as people read it, `S1/19 → S2/19`."""
        fabric = self._built.fabric
        peer = fabric.peer(*link)
        assert peer is not None
        return f"{fabric.node_name(link[0])}/{link[1]} → {fabric.node_name(peer[0])}/{peer[1]}"

    def _route(self, src: str, dst: str) -> tuple[Link, ...] | None:
        self._steps += 1
        key = self.leaf(src), dst
        if key not in self._known:
            try:
                hops = self._built.fabric.route(self._endport(src), self._endport(dst))
            except RuntimeError:
                self._known[key] = None
            else:
                self._known[key] = tuple((node, port) for node, port in hops[1:-1])
        return self._known[key]

    def _endport(self, reference: str) -> int:
        if reference not in self._index:
            self._index[reference] = self._built.endport(reference)
        return self._index[reference]
