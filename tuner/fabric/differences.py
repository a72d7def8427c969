# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Differences between two documents of one fabric, such as two imports of it: nodes, links, rates, names, routes.

A node is the same if its GUID is; or if its name is, where either document leaves GUIDs out, as those that people write do. A
node whose GUID is gone is replaced by the one of a new GUID that alone has its name: its links are the same where they lead to
the same ports.
A link is the same if both of its ends are.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

from tuner.documents.fabric import FabricDocument, Host, Link, Switch

MOST_NAMED = 20
"""Items of each kind of difference that are named; the others are counted."""

Key: TypeAlias = tuple[str, str, int]
"""Class of the node, its GUID or name, and which of several of that name it is."""
Ends: TypeAlias = frozenset[tuple[Key, int]]

_KINDS = (
    "switches_added",
    "switches_removed",
    "hosts_added",
    "hosts_removed",
    "replaced",
    "renamed",
    "links_added",
    "links_removed",
    "rates_changed",
    "settings_changed",
)


@dataclass(frozen=True)
class Difference:
    """One kind of difference: how many there are, and the first of them in words."""

    kind: str
    count: int
    named: tuple[str, ...]

    def to_json(self) -> dict[str, Any]:
        return {"kind": self.kind, "count": self.count, "named": list(self.named)}


def differences(before: FabricDocument, after: FabricDocument) -> list[Difference]:
    """Kinds of differences that there are, in a fixed order; empty for documents of the same fabric."""
    by_guid = all(node.guid is not None for document in (before, after) for node in document.nodes)
    old, new = _Wiring(before, by_guid), _Wiring(after, by_guid)
    found: dict[str, list[str]] = {kind: [] for kind in _KINDS}
    for key, node in new.take_places(old):
        found["replaced"].append(f"{node.name}: GUID 0x{old.nodes[key].guid:016x} is now 0x{node.guid:016x}")
    for key, node in new.nodes.items():
        if key not in old.nodes:
            found[f"{_plural(node)}_added"].append(node.name)
        elif old.nodes[key].name != node.name:
            found["renamed"].append(f"{old.nodes[key].name} is now {node.name}")
    for key, node in old.nodes.items():
        if key not in new.nodes:
            found[f"{_plural(node)}_removed"].append(node.name)
    for ends, link in new.links.items():
        if ends not in old.links:
            found["links_added"].append(new.spelled(ends))
        elif old.links[ends].rate != link.rate:
            found["rates_changed"].append(f"{new.spelled(ends)}: {old.links[ends].rate} is now {link.rate}")
    found["links_removed"] = [old.spelled(ends) for ends in old.links if ends not in new.links]
    found["settings_changed"] = list(_settings(before, after))
    return [Difference(kind, len(items), tuple(items[:MOST_NAMED])) for kind, items in found.items() if items]


def _settings(before: FabricDocument, after: FabricDocument) -> list[str]:
    """Returns in words what differs apart from nodes and links."""
    changed = [
        f"{what}: {old} is now {new}"
        for what, old, new in (
            ("MTU in bytes", before.mtu_bytes, after.mtu_bytes),
            ("routing", before.routing, after.routing),
        )
        if old != new
    ]
    if _tables(before) != _tables(after):
        changed.append("forwarding tables")
    for key in ("sl_to_vl", "vl_arbitration", "congestion_control", "model"):
        if getattr(before, key) != getattr(after, key):
            changed.append(key)
    return changed


def _tables(fabric: FabricDocument) -> Mapping[str, Any]:
    return {**fabric.lfts, **{f"{switch} by host": one for switch, one in fabric.forwarding.items()}}


def _alone(wiring: "_Wiring", other: "_Wiring") -> dict[tuple[str, str], Key]:
    """The nodes with a GUID that `other` does not have, by kind and name, where one alone has that name."""
    keys: dict[tuple[str, str], list[Key]] = {}
    for key, node in wiring.nodes.items():
        if node.guid is not None and key not in other.nodes:
            keys.setdefault((node.kind if isinstance(node, Host) else "switch", node.name), []).append(key)
    return {what: found[0] for what, found in keys.items() if len(found) == 1}


def _plural(node: Switch | Host) -> str:
    return "switches" if isinstance(node, Switch) else "hosts"


class _Wiring:
    def __init__(self, fabric: FabricDocument, by_guid: bool) -> None:
        self._fabric = fabric
        self._keys: list[Key] = []
        seen: Counter[tuple[str, str]] = Counter()
        for node in fabric.nodes:
            identity = (_plural(node), f"guid:0x{node.guid:016x}" if by_guid else node.name)
            self._keys.append((*identity, seen[identity]))
            seen[identity] += 1
        self.nodes: dict[Key, Switch | Host] = dict(zip(self._keys, fabric.nodes, strict=True))

    def take_places(self, old: "_Wiring") -> list[tuple[Key, Switch | Host]]:
        """Gives each node that replaces one of `old` the key of that one; returns these nodes with their keys."""
        gone, fresh = _alone(old, self), _alone(self, old)
        pairs = {key: gone[what] for what, key in fresh.items() if what in gone}
        self._keys = [pairs.get(key, key) for key in self._keys]
        self.nodes = dict(zip(self._keys, self._fabric.nodes, strict=True))
        return [(key, self.nodes[key]) for key in pairs.values()]

    @cached_property
    def links(self) -> dict[Ends, Link]:
        return {
            frozenset({(self._keys[a.node], a.port), (self._keys[b.node], b.port)}): link for link, a, b in self._fabric.ends()
        }

    def spelled(self, ends: Ends) -> str:
        return " – ".join(f"{self.nodes[key].name}/{port}" for key, port in sorted(ends))
