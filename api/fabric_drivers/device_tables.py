# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A device's tables as the MADs that carry them, and what differs between two profiles on a fabric.

Blocks are those of IBA annex A10: 32 ports in a SwitchPortCongestionSetting, 64 entries in a CongestionControlTable, and the
CCTI_Limit in each of the latter's blocks. They are the ones that the OpenSM plugin sends.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from api.fabric_drivers.base import Change, guid_text
from ccsim.policy import Tables
from tuner.documents.fabric import FabricDocument
from tuner.fabric.built_fabric import BuiltFabric

PORTS_PER_BLOCK = 32
ENTRIES_PER_BLOCK = 64

Key: TypeAlias = tuple[str, int]
"""(attribute, block)."""
Place: TypeAlias = tuple[int, int]
"""(node, port); the port of a switch is 0."""


@dataclass(frozen=True)
class DeviceTables:
    """All that one device is to hold, in the order in which it is sent."""

    node: int
    port: int
    parts: Mapping[Key, Mapping[str, Any]]


def device_tables(tables: Tables) -> dict[Place, DeviceTables]:
    """Returns the tables of all devices, by place."""
    found = [DeviceTables(one["node"], 0, dict(_switch(one))) for one in tables.switches]
    found += [DeviceTables(one["node"], one["port"], dict(_adapter(one))) for one in tables.cas]
    return {(one.node, one.port): one for one in found}


def tables_of(tables: Tables, node: int, port: int) -> DeviceTables:
    """Returns the tables of one device; `port` is 0 for a switch. Raises ValueError if there is no such device."""
    parts = _adapter(tables.ca(node, port)) if port else _switch(tables.switch(node))
    return DeviceTables(node, port, dict(parts))


def as_plugin_reports(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part in the form in which the OpenSM plugin reports it: entries of a CCT have named fields instead of pairs."""
    entries = value.get("entries")
    if entries is None:
        return value
    return {**value, "entries": [{"shift": shift, "multiplier": multiplier} for shift, multiplier in entries]}


def places(document: FabricDocument) -> list[Place]:
    """The devices of a fabric: its switches, and connected ports of adapters that take part in congestion control."""
    n_switches = len(document.switches)
    ports = {
        (end.node, end.port)
        for _, *ends in document.ends()
        for end in ends
        if end.node >= n_switches and document.nodes[end.node].kind in ("host", "aggregation")
    }
    return [*((node, 0) for node in range(n_switches)), *sorted(ports)]


def changes(built: BuiltFabric, current: Tables | None, wanted: Tables) -> list[Change]:
    """Returns the changes that bring a fabric from one profile to another; all that `wanted` sets if `current` is None."""
    before = {} if current is None else device_tables(current)
    found = []
    for place, device in device_tables(wanted).items():
        old = before[place].parts if place in before else {}
        sent = [key for key, value in device.parts.items() if old.get(key) != value and not _optional(key, value, old)]
        if sent:
            found.append(
                Change(
                    guid=guid_text(built.document.guid_of(device.node)),
                    port=device.port,
                    name=built.document.nodes[device.node].name,
                    attributes=tuple(dict.fromkeys(attribute for attribute, _ in sent)),
                    mads=len(sent),
                )
            )
    return found


def _optional(key: Key, value: Mapping[str, Any], old: Mapping[Key, Any]) -> bool:
    """A switch of which nothing is known is not asked to clear settings by port, which it may not even have."""
    return key[0] == "SwitchPortCongestionSetting" and not value["ports"] and key not in old


def _switch(one: Mapping[str, Any]) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    yield ("SwitchCongestionSetting", 0), one["setting"]
    for block in range(one["num_ports"] // PORTS_PER_BLOCK + 1):  # port 0 is in the first block
        first = block * PORTS_PER_BLOCK
        ports = {str(port): own for port, own in sorted(one["ports"].items()) if first <= port < first + PORTS_PER_BLOCK}
        yield ("SwitchPortCongestionSetting", block), {"ports": ports}


def _adapter(one: Mapping[str, Any]) -> Iterator[tuple[Key, Mapping[str, Any]]]:
    yield ("CACongestionSetting", 0), one["setting"]
    cct = one["cct"]
    entries, final = cct["entries"], cct["limit_mode"] == "final"
    for block, first in enumerate(range(0, max(1, len(entries)), ENTRIES_PER_BLOCK)):
        own = entries[first : first + ENTRIES_PER_BLOCK]
        limit = cct["ccti_limit"] if final else first + len(own) - 1
        yield ("CongestionControlTable", block), {"ccti_limit": limit, "entries": own}
