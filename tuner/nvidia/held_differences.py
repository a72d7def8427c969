# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Differences between the values that devices hold, as ibdiagnet has read them, and those that a profile gives them."""

from collections import defaultdict
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass
from typing import Any

import ccsim
from ccsim.policy import Profile, ProfileError
from tuner.errors import BadInputError
from tuner.nvidia.held import HeldDevice, HeldFabric, Place, Values, places_text

_GENERAL, _PROFILES, _MAPPING = "CC_SWITCH_GENERAL_SETTINGS", "CC_PORT_PROFILE_SETTINGS", "CC_SL_MAPPING_SETTINGS"
_ADAPTER = {"general": "CC_HCA_GENERAL_SETTINGS", "rp": "CC_HCA_RP_PARAMETERS", "np": "CC_HCA_NP_PARAMETERS"}
_NOT_COMPARED = ("cap_total_buffer_size", "cap_cc_profile_step_size", "vl_mask")
"""Fields that a device has of itself, and the mask of VLs, as each row is of one VL."""
_UNMARKED = {f"profile{number}_{what}": 0 for number in (1, 2, 3) for what in ("min", "max", "percent")}
"""Values of a VL whose queues are not marked."""
_PPCC = "algorithms of the firmware (ppcc) are not compared: the meaning of their columns is not public"


@dataclass(frozen=True)
class Difference:
    """`field`: empty if the file has no row there, and then `held` and `wanted` are None."""

    section: str
    where: str
    field: str
    held: int | str | None
    wanted: int | None

    @property
    def sentence(self) -> str:
        where = f"{self.section}{', ' if self.where else ''}{self.where}"
        return f"{where}: {self.field} is {self.held}, not {self.wanted}" if self.field else f"{where}: not in the file"


@dataclass(frozen=True)
class DeviceDifferences:
    """`name`: of the node in the fabric. `missing`: the file has nothing of the device. `found`: empty if the device holds what
    the profile gives it, as far as the file shows."""

    guid: int
    kind: str
    name: str
    missing: bool
    found: tuple[Difference, ...]

    @property
    def sentences(self) -> list[str]:
        return ["the file has nothing of this device"] if self.missing else [one.sentence for one in self.found]


@dataclass(frozen=True)
class Compared:
    """`devices`: all those that the profile has values for. `not_in_fabric`: devices of the file, by their labels. `warnings`: of
    the profile on the fabric. `uncompared`: sentences about values that the file does not show."""

    devices: tuple[DeviceDifferences, ...]
    not_in_fabric: tuple[str, ...]
    warnings: tuple[str, ...]
    uncompared: tuple[str, ...]


def compare(held: HeldFabric, profile: Profile, fabric: ccsim.Fabric, *, fabric_name: str) -> Compared:
    """Raises BadInputError for a profile without the section `nvidia`, and for one that does not fit the fabric."""
    try:
        tables = profile.resolve(fabric)
    except ProfileError as error:
        raise BadInputError(f"{profile.name} on {fabric_name}: {error.sentence}") from error
    if not tables.has_nvidia:
        raise BadInputError(f"profile {profile.name} has no section nvidia, and ibdiagnet shows that section's attributes alone")
    found: dict[int, _Found] = defaultdict(_Found)
    ppcc = False
    for switch in tables.switches:
        if "nvidia" in switch:
            node = switch["node"]
            linked = {port for port in switch["nvidia"]["ports"] if fabric.peer(node, port) is not None}
            _compare_switch(found[node], held.devices.get(switch["guid"]), switch["nvidia"], linked)
    for ca in tables.cas:
        if "nvidia" in ca:
            device = held.devices.get(fabric.node_guid(ca["node"]))
            _compare_adapter(found[ca["node"]], device, ca["port"], ca["nvidia"])
            ppcc = ppcc or bool(ca["nvidia"]["ppcc"])
    known = {fabric.node_guid(node) for node in range(fabric.num_nodes)}
    unseen: dict[str, list[str]] = defaultdict(list)
    for section, field in sorted({key for one in found.values() for key in one.unseen}):
        unseen[section].append(field)
    uncompared = [f"{section} lacks {', '.join(fields)}, not compared" for section, fields in unseen.items()]
    return Compared(
        devices=tuple(_device(held, fabric, node, one.differences()) for node, one in found.items()),
        not_in_fabric=tuple(device.label for guid, device in held.devices.items() if guid not in known),
        warnings=tuple(tables.warnings),
        uncompared=(*uncompared, _PPCC) if ppcc else tuple(uncompared),
    )


def _device(held: HeldFabric, fabric: ccsim.Fabric, node: int, found: Sequence[Difference]) -> DeviceDifferences:
    guid, kind = fabric.node_guid(node), "switch" if fabric.node_kind(node) == "switch" else "adapter"
    return DeviceDifferences(guid, kind, fabric.node_name(node), guid not in held.devices, tuple(found))


def _compare_switch(found: "_Found", device: HeldDevice | None, wanted: Mapping[str, Any], linked: Set[int]) -> None:
    """`linked`: ports with a cable; ibdiagnet may leave the others out."""
    if device is None:
        return
    found.row(_GENERAL, Place(None), device.held.get(_GENERAL, {}).get(Place(None)), wanted["general"])
    profiles: dict[int | None, list[tuple[Place, Values]]] = defaultdict(list)
    for place, values in device.held.get(_PROFILES, {}).items():
        profiles[place.port].append((place, values))
    mappings = device.held.get(_MAPPING, {})
    for port, of_port in wanted["ports"].items():
        for place, values in profiles[port]:
            found.row(_PROFILES, place, values, _profile_of(of_port["profiles"], place.vl))
        if of_port["profiles"] and not profiles[port] and port in linked:
            found.row(_PROFILES, Place(port), None, {})
        held = mappings.get(Place(port))
        # 0, which is reserved, stands in the tables of a profile that is off.
        if any(of_port["sl_profile"]) and (held is not None or port in linked):
            found.row(_MAPPING, Place(port), held, {f"SL {sl}": number for sl, number in enumerate(of_port["sl_profile"])})


def _compare_adapter(found: "_Found", device: HeldDevice | None, port: int, wanted: Mapping[str, Any]) -> None:
    if device is None:
        return
    for part, section in _ADAPTER.items():
        if part != "rp" or wanted["type"] == "dcqcn":
            rows = device.held.get(section, {})
            found.row(section, Place(port), rows.get(Place(port), rows.get(Place(None))), wanted[part])


def _profile_of(profiles: Sequence[Mapping[str, int]], vl: int | None) -> Mapping[str, int]:
    return next((one for one in profiles if vl is not None and one["vl_mask"] >> vl & 1), _UNMARKED)


class _Found:
    """Differences of one device, those that are the same at several places put together."""

    def __init__(self) -> None:
        self._places: dict[tuple[str, str, int | str | None, int | None], list[Place]] = defaultdict(list)
        self.unseen: set[tuple[str, str]] = set()
        """Sections and fields that their rows do not have."""

    def row(self, section: str, place: Place, values: Values | None, wanted: Mapping[str, int]) -> None:
        """Compares the fields that a row has; None: there is no such row."""
        compared = {name: number for name, number in wanted.items() if name not in _NOT_COMPARED}
        held = {name: value for name, value in values or () if name in compared}
        if not held:
            self._places[section, "", None, None].append(place)
            return
        self.unseen |= {(section, name) for name in compared.keys() - held.keys()}
        for name, value in held.items():
            if value != compared[name]:
                self._places[section, name, value, compared[name]].append(place)

    def differences(self) -> list[Difference]:
        return [
            Difference(section, places_text(places), name, held, wanted)
            for (section, name, held, wanted), places in self._places.items()
        ]
