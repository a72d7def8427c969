# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Routes between hosts as the links between switches that they take."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

from tuner.documents.fabric import End
from tuner.fabric.built_fabric import BuiltFabric
from tuner.suggest.receivers import link_payloads

Link: TypeAlias = tuple[int, int]
"""A directed one: the node and the port by which packets leave."""

_RECEIVERS = 200
"""Number of hosts that are tried as the hotspot, spread over the fabric; rounding makes it up to twice as many."""

_MOST_STEPS = 2_000_000
"""Number of routes that one search looks at: a second or two."""
_MOST_TOGETHER = 4 * _MOST_STEPS
"""Number of routes that the searches of one placement look at."""
_MOST_USES = 400_000
"""Switches by hosts up to which all routes are looked up before a search, in half a second."""


@dataclass
class _Use:
    """`leaves`: by switch of the sender, the hosts that its packets go to over a link; `ends`: all of these."""

    leaves: dict[int, list[str]] = field(default_factory=dict)
    ends: set[str] = field(default_factory=set)


@dataclass
class Routes:
    """Routes that searches on one fabric have looked up, and how many they may look at still."""

    left: int = _MOST_TOGETHER
    index: dict[str, int] = field(default_factory=dict)
    leaf: dict[str, int] = field(default_factory=dict)
    known: dict[tuple[int, str], tuple[Link, ...] | None] = field(default_factory=dict)
    uses: dict[tuple[str, ...], dict[Link, _Use]] = field(default_factory=dict)
    gbps: dict[str, tuple[float, float]] = field(default_factory=dict)
    payloads: Mapping[End, float] | None = None


class Paths:
    """Looks each route up once: hosts of one switch have the same way from there on."""

    def __init__(self, built: BuiltFabric, candidates: Sequence[str], routes: Routes | None = None) -> None:
        """`candidates`: references of hosts on the fabric, those that are preferred first. `routes`: what several searches have
        together."""
        self.candidates = list(candidates)
        self._built = built
        self._routes = Routes() if routes is None else routes
        self._last = max(0, self._routes.left - _MOST_STEPS)
        self.too_slow = False

    @property
    def exhausted(self) -> bool:
        """The search has looked at so many routes that it ends without a result."""
        return self._routes.left < self._last

    @property
    def any_shared(self) -> bool:
        """True if a link between switches leads from two hosts to two others, or that is not known. Without one, no two flows
        meet that differ in both ends."""
        return self._uses is None or any(self.may_be_shared(link, 1) for link in self._uses)

    def may_be_shared(self, link: Link, sharing: int) -> bool:
        """False if too few hosts or ends use a link for so many contributors to one host and a victim."""
        if self._uses is None:
            return True
        use = self._uses.get(link, _Use())
        return len(use.ends) > 1 and sum(self._hosts_of[leaf] for leaf in use.leaves) > sharing

    def over(self, link: Link, src: str) -> Iterator[str]:
        """Yields the candidates to which packets from a host go over a link."""
        if self._uses is None:
            yield from (host for host in self.candidates if link in self.between_switches(src, host))
        elif (use := self._uses.get(link)) is not None:
            yield from use.leaves.get(self.leaf(src), ())

    @cached_property
    def _hosts_of(self) -> Counter[int]:
        """Number of candidates on each switch."""
        return Counter(self.leaf(host) for host in self.candidates)

    @cached_property
    def _uses(self) -> dict[Link, _Use] | None:
        """Who uses each link between switches; None for so many hosts that looking takes long."""
        if len(self._hosts_of) * len(self.candidates) > _MOST_USES:
            return None
        among = tuple(self.candidates)
        if among not in self._routes.uses:
            self._routes.uses[among] = self._looked_up()
        return self._routes.uses[among]

    def _looked_up(self) -> dict[Link, _Use]:
        first = {self.leaf(host): host for host in reversed(self.candidates)}
        found: dict[Link, _Use] = {}
        for leaf, host in first.items():
            for end in self.candidates:
                if self.leaf(end) != leaf:
                    for link in self.between_switches(host, end):
                        use = found.setdefault(link, _Use())
                        use.leaves.setdefault(leaf, []).append(end)
                        use.ends.add(end)
        return found

    def between_switches(self, src: str, dst: str) -> tuple[Link, ...]:
        """Returns the links that packets from `src` to `dst` take, the hosts' own left out; none without a route."""
        return self._route(src, dst) or ()

    def reaches(self, src: str, dst: str) -> bool:
        """Packets from `src` reach `dst`, and notifications the way back."""
        return self._route(src, dst) is not None and self._route(dst, src) is not None

    def leaf(self, host: str) -> int:
        """Returns the node that a host is linked to."""
        if host not in self._routes.leaf:
            endport = self._built.hosts.find(host)
            peer = self._built.fabric.peer(endport.node, endport.port)
            self._routes.leaf[host] = -1 - endport.node if peer is None else peer[0]
        return self._routes.leaf[host]

    def fill(self, sources: Iterable[str], receiver: str) -> bool:
        """True if some hosts send more together than a receiver takes; else `too_slow` says from now on that some did not."""
        fills = self.sent_gbps(sources) > self.taken_gbps(receiver)
        self.too_slow |= not fills
        return fills

    def sent_gbps(self, sources: Iterable[str]) -> float:
        """Returns the payload that hosts can send together, in full packets."""
        return sum(self._gbps(host)[0] for host in sources)

    def taken_gbps(self, receiver: str) -> float:
        """Returns the payload that a host takes, in full packets."""
        return self._gbps(receiver)[1]

    def _gbps(self, host: str) -> tuple[float, float]:
        """Returns what a host sends and what it takes at most."""
        if host not in self._routes.gbps:
            document, end = self._built.document, self._built.hosts.find(host)
            sends = self._built.hosts.capacity_gbps(host, document.mtu_bytes)
            if self._routes.payloads is None:
                self._routes.payloads = link_payloads(document)
            link = self._routes.payloads[End(end.node, end.port)]
            limit = document.receive_limit_gbps(end.node - len(document.switches))
            self._routes.gbps[host] = sends, link if limit is None else min(limit, link)
        return self._routes.gbps[host]

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
        self._routes.left -= 1
        key = self.leaf(src), dst
        if key not in self._routes.known:
            try:
                hops = self._built.fabric.route(self._endport(src), self._endport(dst))
            except RuntimeError:
                self._routes.known[key] = None
            else:
                self._routes.known[key] = tuple((node, port) for node, port in hops[1:-1])
        return self._routes.known[key]

    def _endport(self, reference: str) -> int:
        if reference not in self._routes.index:
            self._routes.index[reference] = self._built.endport(reference)
        return self._routes.index[reference]
