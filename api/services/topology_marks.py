# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Marks of devices that a person should look at, by GUID, and devices that the wiring lacks."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from api.documents.topology import UnplacedDevice
from api.fabric_drivers.base import Device, guid_text
from api.fabric_drivers.sight import Key
from api.watch.states import Mark
from tuner.documents.fabric import FabricDocument

_BY_STATE: Mapping[str, Mark] = {"timing_out": "timing-out", "drifted": "drifted"}
_MOST_UNPLACED = 100


@dataclass(frozen=True)
class Marked:
    marks: Mapping[str, Collection[Mark]]
    """Marks by GUID; devices without any are left out."""
    unplaced: list[UnplacedDevice]
    unplaced_count: int

    def by_node(self, document: FabricDocument) -> dict[int, Collection[str]]:
        """Returns the marks by number of the document's nodes."""
        if not self.marks:
            return {}
        guids = ((node, guid_text(document.guid_of(node))) for node in range(len(document.nodes)))
        return {node: self.marks[guid] for node, guid in guids if guid in self.marks}


@dataclass(frozen=True)
class Watched:
    """A fabric as its watcher knows it now; by default it knows nothing. `marks`: by GUID of a node. `down`: ends, by GUID and
    port, of links that are down; None: it is unknown."""

    marks: Mapping[str, Collection[Mark]] = field(default_factory=dict)
    down: Collection[Key] | None = None

    def down_in(self, document: FabricDocument) -> set[tuple[int, int]]:
        """Returns the ends of links that are down by number of the document's nodes."""
        if not self.down:
            return set()
        numbers = {guid_text(document.guid_of(node)): node for node in range(len(document.nodes))}
        return {(numbers[guid], port) for guid, port in self.down if guid in numbers}


NOTHING_WATCHED = Watched()


def marked(document: FabricDocument, devices: Iterable[Device], watched: Mapping[str, Collection[Mark]] | None = None) -> Marked:
    """Compares the devices of a fabric with its wiring. Without any device, as while OpenSM starts, nothing is missing.
    `watched`: marks by the fabric's watcher, by GUID, which has compared the cables too."""
    rows = list(devices)
    found: dict[str, set[Mark]] = defaultdict(set)
    for device in rows:
        if not device.present:
            found[device.guid].add("missing")
        if device.state in _BY_STATE:
            found[device.guid].add(_BY_STATE[device.state])
    for guid, marks in (watched or {}).items():
        found[guid].update(marks)
    placed = {guid_text(document.guid_of(i)): node.kind for i, node in enumerate(document.nodes)}
    known = {device.guid for device in rows}
    if known:
        for guid, kind in placed.items():
            if guid not in known and kind in ("switch", "host"):
                found[guid].add("missing")
    new = {device.guid: device for device in reversed(rows) if device.guid not in placed and device.present}
    for guid in new:
        found[guid].add("new")
    unplaced = [
        UnplacedDevice(guid=guid, name=device.name, kind=device.kind, marks=sorted(found[guid])) for guid, device in new.items()
    ]
    unplaced.sort(key=lambda one: one.guid)
    return Marked(found, unplaced[:_MOST_UNPLACED], len(unplaced))
