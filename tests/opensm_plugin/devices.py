# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What devices hold and what they should, in one form, so that a difference is seen at once."""

from collections.abc import Iterable, Mapping
from typing import Any, TypeAlias

from ccsim.policy import Tables

Device: TypeAlias = tuple[int, int]
"""Node index, and port: 0 of a switch."""


def wanted(tables: Tables) -> dict[Device, Any]:
    """What a profile wants of each device."""
    return _by_device(tables.switches, tables.cas)


def held(tables: Iterable[Mapping[str, Any]]) -> dict[Device, Any]:
    """What the emulator's devices hold, of its `tables()`."""
    devices = [device for device in tables if device["present"]]
    switches = [device["congestion"] for device in devices if device["kind"] == "switch"]
    cas = [port for device in devices if device["kind"] == "host" for port in device["congestion"].values()]
    return _by_device(switches, cas)


def _by_device(switches: Iterable[Mapping[str, Any]], cas: Iterable[Mapping[str, Any]]) -> dict[Device, Any]:
    by_device: dict[Device, Any] = {
        (s["node"], 0): {"setting": s["setting"], "ports": s["ports"], **_nvidia(s)} for s in switches
    }
    return by_device | {(ca["node"], ca["port"]): {"setting": ca["setting"], "cct": _cct(ca["cct"]), **_nvidia(ca)} for ca in cas}


def _nvidia(device: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the element `nvidia` of a device that has NVIDIA's attributes."""
    return {"nvidia": device["nvidia"]} if "nvidia" in device else {}


def _cct(cct: Mapping[str, Any]) -> dict[str, Any]:
    """Without the entries of zero behind the last other one, of which a device may have room for more than a profile says."""
    entries = [tuple(entry) for entry in cct["entries"]]
    while entries and entries[-1] == (0, 0):
        entries.pop()
    return {"ccti_limit": cct["ccti_limit"], "entries": entries}
