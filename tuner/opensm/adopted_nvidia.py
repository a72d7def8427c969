# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The section `nvidia` of a profile of what devices hold, and overrides for devices and ports that hold something else.

A value that no profile may have is left out: a plan of the profile finds the device.
"""

from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache
from typing import Any, TypeAlias

from ccsim.policy import profile_keys
from tuner.opensm.most_common import alike, differing, most

Row: TypeAlias = Mapping[str, Any]
"""A device, as PluginClient.as_found has it."""
Override: TypeAlias = dict[str, Any]

_ALL_SLS = 0xFFFF
_MAX_VL = 14
_NUM_PROFILES = 3
_UNMARKED = {"vls": "all", "unit": "bytes"}
"""Thresholds of ports that mark nothing, as a switch that marks has to have some."""


def adopted_nvidia(rows: Iterable[Row]) -> tuple[dict[str, Any] | None, list[Override]]:
    """Returns the section and its overrides. None: no device was found to mark or react by these attributes, as far as they
    were read."""
    read = [row for row in rows if row.get("nvidia") is not None]
    switches = {row["guid"]: _switch(row["nvidia"]["items"]) for row in read if row["kind"] == "switch"}
    adapters: dict[str, list[dict[str, Any]]] = {}
    for row in read:
        if row["kind"] != "switch":
            adapters.setdefault(row["guid"], []).append(_adapter(row["nvidia"]["items"]))
    if not any(row["nvidia"]["on"] for row in read):
        return None, []
    section: dict[str, Any] = {}
    overrides: list[Override] = []
    if switches:
        section["switch"] = most(own for own, _ in switches.values())
        for guid, (own, ports) in switches.items():
            if own != section["switch"]:
                overrides.append(_override({"guid": guid}, "switch", differing(own, section["switch"])))
            for values, numbers in alike(ports):
                overrides.append(_override({"guid": guid, "ports": numbers}, "switch", values))
    # Of an adapter with several ports a profile says one thing.
    of_adapters = {guid: most(ports) for guid, ports in adapters.items()}
    if of_adapters:
        section["adapter"] = most(of_adapters.values())
        for guid, own in of_adapters.items():
            if own != section["adapter"]:
                overrides.append(_override({"guid": guid}, "adapter", _adapter_differing(own, section["adapter"])))
    return section, overrides


def _override(match: dict[str, Any], part: str, values: dict[str, Any]) -> Override:
    return {"match": match, "nvidia": {part: values}}


@lru_cache
def _keys(section: str) -> dict[str, Any]:
    """The keys of a section that are a field of an attribute each, by that field."""
    found = {}
    for path, key in profile_keys().items():
        parent, _, name = path.rpartition(".")
        if parent == section and key.field is not None and key.alias_of is None:
            found[key.field] = name, key
    return found


def _said(section: str, held: Mapping[str, int]) -> dict[str, Any]:
    """The keys of a section that a profile may give these values, which are fields of an attribute."""
    values: dict[str, Any] = {}
    for field, (name, key) in _keys(section).items():
        value = held.get(field)
        if value is None or isinstance(value, list):
            continue
        if key.type == "boolean":
            values[name] = bool(value)
        elif key.minimum is not None and key.minimum <= value <= key.maximum:
            values[name] = value
    return values


def _switch(items: Sequence[Mapping[str, Any]]) -> tuple[dict[str, Any], dict[int, dict[str, Any]]]:
    """What the switch holds, and single ports that hold something else than most."""
    general: dict[str, Any] = {"enable": False, "aqs_time": 0, "aqs_weight": 0}
    profiles: dict[int, list[tuple[int, Mapping[str, Any]]]] = {}
    mappings: dict[int, Sequence[int]] = {}
    for item in items:
        port = item["block"] & 0xFF
        match item["attribute"]:
            case "CongestionSwitchGeneralSettings":
                general |= _said("nvidia.switch", item["held"])
            case "CongestionPortProfileSettings":
                profiles.setdefault(port, []).append((item["scope"] or 0, item["held"]))
            case "CongestionSLMappingSettings":
                mappings[port] = item["held"]["sl_profile"]
    ports = {port: _port(profiles.get(port, []), mappings.get(port)) for port in sorted(profiles.keys() | mappings.keys())}
    common = most(ports.values()) if ports else {"thresholds": [_UNMARKED]}
    return general | common, {port: differing(own, common) for port, own in ports.items() if own != common}


def _port(profiles: Sequence[tuple[int, Mapping[str, Any]]], mapping: Sequence[int] | None) -> dict[str, Any]:
    every = 0
    by_values: list[tuple[dict[str, Any], int]] = []
    for vls, held in profiles:
        every |= vls
        values = _thresholds(held)
        place = next((at for at, (known, _) in enumerate(by_values) if known == values), None)
        if place is None:
            by_values.append((values, vls))
        else:  # where each VL is read by itself
            by_values[place] = values, by_values[place][1] | vls
    thresholds = [
        {"vls": "all" if vls == every else [vl for vl in range(_MAX_VL + 1) if vls >> vl & 1], **values}
        for values, vls in by_values
        if any(value for key, value in values.items() if key != "unit")
    ]
    own: dict[str, Any] = {"thresholds": thresholds or [_UNMARKED]}
    if mapping is not None and all(1 <= number <= _NUM_PROFILES for number in mapping):
        own["sl_profile"] = mapping[0] if len(set(mapping)) == 1 else list(mapping)
    return own


def _thresholds(held: Mapping[str, Any]) -> dict[str, Any]:
    unit = "percent" if held["mode"] else "kilobytes" if held["granularity"] else "bytes"
    values: dict[str, Any] = {"unit": unit}
    for number in range(1, _NUM_PROFILES + 1):
        least, largest = held[f"profile{number}_min"], held[f"profile{number}_max"]
        if least <= largest:
            values |= {f"profile{number}_min": least, f"profile{number}_max": largest}
            values[f"profile{number}_percent"] = held[f"profile{number}_percent"]
    return values


def _adapter(items: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    own: dict[str, Any] = {"type": "dcqcn"}
    slots = []
    rp: dict[str, Any] = {}
    for item in items:
        match item["attribute"]:
            case "CongestionHCAGeneralSettings":
                own |= _said("nvidia.adapter", item["held"])
            case "CongestionHCARPParameters":
                rp = _said("nvidia.adapter.rp", item["held"])
            case "CongestionHCANPParameters":
                own["np"] = _said("nvidia.adapter.np", item["held"])
            case "CongestionHCAAlgoConfig" if item["scope"] and item["algorithm"]:
                slots.append((item["algorithm"], item["scope"]))
    if slots:
        own |= {"type": "ppcc", "ppcc": [_slot(algorithm, sls) for algorithm, sls in slots]}
    elif rp:
        own["rp"] = rp
    return own


def _slot(algorithm: Sequence[int], sls: int) -> dict[str, Any]:
    number, major, minor = algorithm
    served: str | list[int] = "all" if sls == _ALL_SLS else [sl for sl in range(16) if sls >> sl & 1]
    return {"algo_id": number, "major": major, "minor": minor, "sls": served}


def _adapter_differing(own: Mapping[str, Any], common: Mapping[str, Any]) -> dict[str, Any]:
    found = differing(own, common)
    for part in ("rp", "np"):
        if part in found and part in common:
            found[part] = differing(own[part], common[part])
    return found
