# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A device's tables as the MADs that carry them, and what differs between two profiles on a fabric.

Each device is sent the attributes of its dialect: annex A10's, NVIDIA's, or none. One that has both obeys NVIDIA's where the
profile has them for it, and annex A10's are cleared. Blocks of annex A10 are 32 ports in a SwitchPortCongestionSetting, 64
entries in a CongestionControlTable, and the CCTI_Limit in each of the latter's blocks; those of NVIDIA's are ports, slots of
algorithms, and lists of VLs. They are the ones that the OpenSM plugin sends.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, TypeAlias

from api.fabric_drivers.base import Change, guid_text
from ccsim.policy import Tables
from tuner.documents.congestion_control import Dialect
from tuner.documents.fabric import FabricDocument, NodeKind
from tuner.fabric.built_fabric import BuiltFabric

PORTS_PER_BLOCK = 32
ENTRIES_PER_BLOCK = 64
_VL_LISTS = 16
"""Blocks of a port's CongestionPortProfileSettings: a port has as many VLs at most."""
_CLEARED: Mapping[str, Mapping[str, Any]] = MappingProxyType(
    {
        "CongestionSwitchGeneralSettings": {"en": False},
        "CongestionPortProfileSettings": {"mode": 0},
        "CongestionHCAGeneralSettings": {"en_notify": False, "en_react": False},
    }
)
"""NVIDIA's attributes that are sent to clear a device, with what clears it; the others say nothing without these."""

Key: TypeAlias = tuple[str, int]
"""(attribute, block)."""
Part: TypeAlias = tuple[Key, Mapping[str, Any]]
Place: TypeAlias = tuple[int, int]
"""(node, port); the port of a switch is 0."""


@dataclass(frozen=True)
class DeviceTables:
    """All that one device is to hold, in the order in which it is sent."""

    node: int
    port: int
    parts: Mapping[Key, Mapping[str, Any]]


def device_tables(tables: Tables, document: FabricDocument) -> dict[Place, DeviceTables]:
    """Returns the tables of all devices, by place; a device without congestion control, or with an unknown one, has no part."""
    dialects = [one.dialect for one in document.device_congestion_control()]
    found = [DeviceTables(one["node"], 0, dict(_of(_switch, _nvidia_switch, one, dialects))) for one in tables.switches]
    found += [
        DeviceTables(ca["node"], ca["port"], dict(_of(_adapter, _nvidia_adapter, ca, dialects)))
        for ca in tables.cas
        if document.nodes[ca["node"]].kind == "host"
    ]
    return {(one.node, one.port): one for one in found}


def as_plugin_reports(value: Mapping[str, Any]) -> Mapping[str, Any]:
    """A part in the form in which the OpenSM plugin reports it: entries of a CCT have named fields instead of pairs."""
    entries = value.get("entries")
    if entries is None:
        return value
    return {**value, "entries": [{"shift": shift, "multiplier": multiplier} for shift, multiplier in entries]}


def places(document: FabricDocument) -> list[Place]:
    """The devices of a fabric: its switches, and connected ports of its hosts' adapters."""
    return _places(document, ("host",))


def listed_places(document: FabricDocument) -> list[Place]:
    """The devices, and those of aggregation nodes: OpenSM finds them too, but they have no congestion control."""
    return _places(document, ("host", "aggregation"))


def _places(document: FabricDocument, kinds: tuple[NodeKind, ...]) -> list[Place]:
    n_switches = len(document.switches)
    ports = {
        (end.node, end.port)
        for _, *ends in document.ends()
        for end in ends
        if end.node >= n_switches and document.nodes[end.node].kind in kinds
    }
    return [*((node, 0) for node in range(n_switches)), *sorted(ports)]


def changes(built: BuiltFabric, current: Tables | None, wanted: Tables) -> list[Change]:
    """Returns the changes that bring a fabric from one profile to another; all that `wanted` sets if `current` is None."""
    before = {} if current is None else device_tables(current, built.document)
    found = []
    for place, device in device_tables(wanted, built.document).items():
        old = before[place].parts if place in before else {}
        sent = [key for key, value in device.parts.items() if old.get(key) != value and not _optional(key, value, old)]
        sent += [key for key, value in old.items() if key not in device.parts and value != _CLEARED.get(key[0], value)]
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


def _switch(one: Mapping[str, Any]) -> Iterator[Part]:
    yield ("SwitchCongestionSetting", 0), one["setting"]
    for block in range(one["num_ports"] // PORTS_PER_BLOCK + 1):  # port 0 is in the first block
        first = block * PORTS_PER_BLOCK
        ports = {str(port): own for port, own in sorted(one["ports"].items()) if first <= port < first + PORTS_PER_BLOCK}
        yield ("SwitchPortCongestionSetting", block), {"ports": ports}


def _adapter(one: Mapping[str, Any]) -> Iterator[Part]:
    yield ("CACongestionSetting", 0), one["setting"]
    cct = one["cct"]
    entries, final = cct["entries"], cct["limit_mode"] == "final"
    for block, first in enumerate(range(0, max(1, len(entries)), ENTRIES_PER_BLOCK)):
        own = entries[first : first + ENTRIES_PER_BLOCK]
        limit = cct["ccti_limit"] if final else first + len(own) - 1
        yield ("CongestionControlTable", block), {"ccti_limit": limit, "entries": own}


def _of(
    a10: Callable[[Mapping[str, Any]], Iterator[Part]],
    nvidia: Callable[[Mapping[str, Any]], Iterator[Part]],
    one: Mapping[str, Any],
    dialects: Sequence[Dialect],
) -> Iterator[Part]:
    dialect = dialects[one["node"]]
    obeys_nvidia = dialect not in ("a10", "none", "unknown") and "nvidia" in one
    if dialect in ("a10", "both"):
        yield from a10(_cleared(one) if obeys_nvidia else one)
    if obeys_nvidia:
        yield from nvidia(one["nvidia"])


def _cleared(one: Mapping[str, Any]) -> Mapping[str, Any]:
    """A device's tables of annex A10 that clear it: zeros, and an empty table."""
    more = {"ports": {}} if "num_ports" in one else {"cct": {"entries": [], "limit_mode": "final", "ccti_limit": 0}}
    return {**one, "setting": {"control_map": one["setting"]["control_map"]}, **more}


def _nvidia_switch(one: Mapping[str, Any]) -> Iterator[Part]:
    yield ("CongestionSwitchGeneralSettings", 0), one["general"]
    for port, own in sorted(one["ports"].items()):
        for number, profile in enumerate(own["profiles"]):
            yield ("CongestionPortProfileSettings", port * _VL_LISTS + number), profile
        if own["sl_profile"][0]:  # number 0 is reserved: the mapping stays as it is
            yield ("CongestionSLMappingSettings", port), {"sl_profile": own["sl_profile"]}


def _nvidia_adapter(one: Mapping[str, Any]) -> Iterator[Part]:
    yield ("CongestionHCAGeneralSettings", 0), one["general"]
    if one["type"] == "dcqcn" and one["rp"]["rpg_threshold"]:
        yield ("CongestionHCARPParameters", 0), one["rp"]
        yield ("CongestionHCANPParameters", 0), one["np"]
    for slot, algorithm in enumerate(one["ppcc"]):
        yield ("CongestionHCAAlgoConfig", slot), {key: value for key, value in algorithm.items() if key != "parameters"}
        if algorithm["parameters"]:
            yield ("CongestionHCAAlgoConfigParams", slot), {"parameters": algorithm["parameters"]}
