# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""NVIDIA's attributes that a profile's section `nvidia` gives its devices, as bytes; overrides are not looked at."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import ccsim
from ccsim import wire
from ccsim.policy import Profile

_ADAPTER = {
    "general": "CongestionHCAGeneralSettings",
    "rp": "CongestionHCARPParameters",
    "np": "CongestionHCANPParameters",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class WireAttribute:
    """One attribute as a Set carries it."""

    device: str
    """`switch`, `switch port` or `adapter`."""
    name: str
    values: Mapping[str, Any]
    """By field; fields that it lacks are 0."""
    payload: bytes
    """192 bytes."""


def nvidia_attributes(profile: Profile) -> list[WireAttribute]:
    """The attributes of a switch, of one of its ports and of an adapter; empty if the profile has no such section.

    A port has one CongestionPortProfileSettings for each element of `thresholds`. An algorithm that is given by name and the
    parameters of algorithms are left out: a device's answers tell their places.
    """
    if "nvidia" not in profile.to_dict():
        return []
    fabric = ccsim.Fabric()
    switch = fabric.add_node("switch", "switch", guid=1, num_ports=1)
    host = fabric.add_node("host", "host", guid=2, num_ports=1)
    fabric.connect(switch, 1, host, 1, rate="4xEDR")
    tables = profile.with_settings({"overrides": None}).resolve(fabric)
    return [
        WireAttribute(device=device, name=name, values=values, payload=wire.pack(name, values, for_set=True))
        for device, name, values in [*_of_switch(tables.switch(switch)), *_of_adapter(tables.ca(host))]
    ]


def _of_switch(held: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if "nvidia" not in held:
        return
    port = held["nvidia"]["ports"][1]
    yield "switch", "CongestionSwitchGeneralSettings", held["nvidia"]["general"]
    for values in port["profiles"]:
        yield "switch port", "CongestionPortProfileSettings", values
    if any(port["sl_profile"]):  # 0, which is reserved, stands in the tables of a profile that is off
        yield "switch port", "CongestionSLMappingSettings", {"sl_profile": port["sl_profile"]}


def _of_adapter(held: Mapping[str, Any]) -> Iterator[tuple[str, str, dict[str, Any]]]:
    if "nvidia" not in held:
        return
    adapter = held["nvidia"]
    for part, name in _ADAPTER.items():
        if part != "rp" or adapter["type"] == "dcqcn":
            yield "adapter", name, adapter[part]
    for slot in adapter["ppcc"]:
        if "algo_id" in slot:
            mask = sum(1 << sl for sl in slot["sls"])
            yield "adapter", "CongestionHCAAlgoConfig", {"algo_en": 1, "sl_bitmask": mask}
