# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Summary of a fabric: its levels, its links, and signs of faults."""

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import asdict, dataclass, replace
from functools import cached_property
from typing import Any

import ccsim
from tuner.documents.device_model import device_model
from tuner.documents.fabric import End, FabricDocument, Host, Link, Switch
from tuner.fabric.built_fabric import BuiltFabric
from tuner.fabric.levels import levels
from tuner.fabric.overridden_vls import overridden_vls
from tuner.fabric.shapes.base import Recognized, recognize
from tuner.fabric.shapes.switch_graph import SwitchGraph
from tuner.fabric.subnets import described, largest, largest_described, of_subnet, subnets

_KINDS = {"host": "hosts", "aggregation": "aggregation_nodes", "router": "routers"}


def _shape(document: FabricDocument) -> Recognized:
    """Returns what suited_shape says, whose numbers are loaded for damaged trees alone: they take a fifth of a second."""
    shape = recognize(SwitchGraph(document))
    if not shape.by_routes:
        return shape
    from tuner.fabric.routing_advice import suited_shape

    return suited_shape(document)


@dataclass(frozen=True, kw_only=True)
class Level:
    """The switches of one level."""

    tree: bool
    """True if they are in a tree, where levels lead up to the top; elsewhere they count from the nearest switch with hosts."""
    level: int | None
    """In a tree 1 for leaves, the switches that most hosts are on, elsewhere 1 for switches with hosts; None: no host can be
    reached."""
    switches: int
    hosts: int
    """Hosts on these switches; one with links to several levels counts on the lowest."""
    links_up: int
    """Links to the next level."""
    oversubscription: float | None
    """The largest ratio, over the switches of trees, of what comes from below to what goes up; None where nothing goes up."""


class FabricSummary:
    """Computed once; `to_json` is what `ibcc fabric show --output json` prints."""

    def __init__(self, built: BuiltFabric) -> None:
        self.document = document = built.document
        self._built = built
        self._links: dict[int, list[tuple[Link, End, End]]] = defaultdict(list)  # by node: its own end first
        for link, a, b in document.ends():
            self._links[a.node].append((link, a, b))
            self._links[b.node].append((link, b, a))
        self._tree_levels = levels(SwitchGraph(document))
        self.level_of = self._tree_levels.level_of
        """Level of each switch: 1 for a leaf, and so on up; None where no host can be reached."""
        self.counts = {plural: sum(host.kind == kind for host in document.hosts) for kind, plural in _KINDS.items()}
        self._dialects = [device.dialect for device in document.device_congestion_control()]
        self.dialects = document.dialects()
        """Number of devices by the dialect of their congestion control."""
        self.levels = list(self._levels())
        self.rates = Counter(link.rate for link in document.links)
        self.warnings = list(self._warnings())

    @cached_property
    def shape(self) -> Recognized:
        """Shape of the fabric, or of the largest of several subnets, recognised by its links."""
        found = subnets(self.document)
        if len(found) < 2:
            return _shape(self.document)
        shape = _shape(of_subnet(self.document, largest(found).number))
        return replace(shape, text=f"{described(found)}; {largest_described(found)}: {shape.text}")

    def to_json(self) -> dict[str, Any]:
        """Plain values: `shape`, `incomplete`, `subnets`, `switches`, `hosts`, `aggregation_nodes`, `routers`, `links`,
        `levels`, `rates`, `dialects`, `warnings`."""
        document = self.document
        adapters: dict[str, list[dict[str, Any]]] = {plural: [] for plural in _KINDS.values()}
        for i, host in enumerate(document.hosts, start=len(document.switches)):
            adapters[_KINDS[host.kind]].append(self._host(i, host))
        return {
            "name": document.name,
            "mtu_bytes": document.mtu_bytes,
            "incomplete": document.incomplete,
            "subnets": [one.to_json() for one in subnets(document)],
            "routing": document.routing,
            "shape": {"kind": self.shape.kind, "text": self.shape.text, "missing": list(self.shape.missing)},
            "switches": [self._switch(i, switch) for i, switch in enumerate(document.switches)],
            **adapters,
            "links": [self._link(link, a, b) for link, a, b in document.ends()],
            "levels": [asdict(level) for level in self.levels],
            "rates": dict(sorted(self.rates.items())),
            "dialects": dict(sorted(self.dialects.items())),
            "warnings": self.warnings,
        }

    def _is_host(self, end: End) -> bool:
        node = self.document.nodes[end.node]
        return isinstance(node, Host) and node.kind == "host"

    def _levels(self) -> Iterator[Level]:
        by_level: dict[int | None, list[int]] = defaultdict(list)
        for switch, level in enumerate(self.level_of):
            by_level[level].append(switch)
        counted: set[int] = set()
        for level in sorted(by_level, key=lambda level: (level is None, level)):
            hosts = {peer.node for switch in by_level[level] for _, _, peer in self._links[switch] if self._is_host(peer)}
            hosts -= counted
            counted |= hosts
            up = {switch: self._up(switch) for switch in by_level[level]}
            in_tree = {switch for switch in by_level[level] if self._tree_levels.in_tree[switch]}
            ratios = [_gbps(self._down(switch)) / _gbps(links) for switch, links in up.items() if links and switch in in_tree]
            yield Level(
                tree=bool(in_tree),
                level=level,
                switches=len(by_level[level]),
                hosts=len(hosts),
                links_up=sum(len(links) for links in up.values()),
                oversubscription=round(max(ratios), 3) if ratios else None,
            )

    def _up(self, switch: int) -> list[Link]:
        """The switch's links to the next level."""
        above = (self.level_of[switch] or 0) + 1
        return [link for link, _, peer in self._links[switch] if self._level_at(peer) == above]

    def _down(self, switch: int) -> list[Link]:
        """The switch's links to lower levels, hosts being level 0."""
        own = self.level_of[switch] or 0
        return [link for link, _, peer in self._links[switch] if (level := self._level_at(peer)) is not None and level < own]

    def _level_at(self, end: End) -> int | None:
        """Level of the node at the end of a link: 0 for a host, None for other adapters."""
        if end.node < len(self.level_of):
            return self.level_of[end.node]
        return 0 if self._is_host(end) else None

    def _warnings(self) -> Iterator[str]:
        if self.document.incomplete is not None:
            yield f"the fabric may be incomplete: {self.document.incomplete}"
        if len(found := subnets(self.document)) > 1:
            yield described(found)
        yield from self._unreachable()
        if loop := self._built.credit_loop(device_model(self.document.model, mtu_bytes=self.document.mtu_bytes).num_vls):
            yield f"the routes have a credit loop, so they can deadlock: {loop}"
        yield from overridden_vls(self.document, self._built.fabric)
        names = Counter(host.name for host in self.document.hosts if host.kind == "host")
        for name, count in names.items():
            if count > 1:
                yield f"{count} hosts are called '{name}'; use guid:0x… or lid:N to distinguish them"
        for i, node in enumerate(self.document.nodes):
            if not self._links[i]:
                yield f"'{node.name}' has no link"
        usual: dict[bool, Counter[str]] = {True: Counter(), False: Counter()}
        for link, a, b in self.document.ends():
            usual[self._is_host(a) or self._is_host(b)][link.rate] += 1
        for to_hosts, rates in usual.items():
            links = "to hosts" if to_hosts else "between switches"
            (usually, most), *others = rates.most_common() or [("", 0)]
            if others and 2 * most <= rates.total():
                yield f"links {links} run at {', '.join(f'{rate} ({count})' for rate, count in rates.most_common())}"
                continue
            for rate, count in others:
                yield f"{f'1 link {links} runs' if count == 1 else f'{count} links {links} run'} at {rate}, most at {usually}"

    def _unreachable(self) -> Iterator[str]:
        sentences = self._built.unreachable()
        if sentences:
            subnet = "" if len(subnets(self.document)) == 1 else " within their subnet"
            yield f"{len(sentences)} hosts cannot be reached from everywhere{subnet}; {sentences[0]}"

    def _switch(self, i: int, switch: Switch) -> dict[str, Any]:
        return {
            "name": switch.name,
            "guid": self._guid(i),
            "lid": switch.lid,
            "level": self.level_of[i],
            "ports": switch.ports,
            "links": len(self._links[i]),
            "dialect": self._dialects[i],
        }

    def _host(self, i: int, host: Host) -> dict[str, Any]:
        lids = {endport.port: endport.lid for endport in host.endports} or {1: host.lid}
        ports = [
            {"port": own.port, "lid": lids.get(own.port), "rate": link.rate, "peer": self._end(peer)}
            for link, own, peer in sorted(self._links[i], key=lambda row: row[1].port)
        ]
        limits = {"inject_gbps": host.inject_gbps, "receive_gbps": host.receive_gbps}
        identity = {"name": host.name, "guid": self._guid(i), "lid": host.lid, "dialect": self._dialects[i]}
        return {**identity, **limits, "ports": ports}

    def _link(self, link: Link, a: End, b: End) -> dict[str, Any]:
        rate = {"rate": link.rate, "data_gbps": ccsim.link_data_gbps(link.rate), "propagation_ns": link.delay_ns}
        return {"a": self._end(a), "b": self._end(b), **rate}

    def _end(self, end: End) -> dict[str, Any]:
        return {"node": self.document.nodes[end.node].name, "guid": self._guid(end.node), "port": end.port}

    def _guid(self, node: int) -> str:
        return f"0x{self.document.guid_of(node):016x}"


def _gbps(links: list[Link]) -> float:
    return sum(ccsim.link_data_gbps(link.rate) for link in links)
