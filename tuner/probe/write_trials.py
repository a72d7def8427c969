# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Values that a write test changes: ones that hardly matter for a moment."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ccsim import wire
from tuner.mads.request import CONGESTION_CONTROL, SET, Reply, Request
from tuner.probe.interview import PAYLOAD_BYTES, Interview
from tuner.probe.questions import VLS_ASKED, of_vl, vl_asked
from tuner.probe.subnet_nodes import SubnetNode

_ALL_FIELDS = 0x1F
"""Control_Map of a switch that names all fields, in whatever order."""
_VL_0 = 1


@dataclass(frozen=True)
class Trial:
    """A value that is changed by one, of an attribute with modifier 0. Each kind of exception is a class below."""

    attribute: int
    layout: str
    field: str

    def obstacle(self, before: Mapping[str, Any], found: Interview) -> str | None:
        """Returns why no Set can change the value so that another one undoes that; None: one can. `found`: answers of the device
        before."""
        return None

    def index(self, before: Mapping[str, Any]) -> int | None:
        """The element that is changed, of a field that has several."""
        return None

    def changed(self, before: Mapping[str, Any]) -> dict[str, Any]:
        """Returns the content with a value that is greater by one, or less by one at the field's end."""
        (field,) = (field for field in wire.attributes()[self.layout].fields if field.name == self.field)
        value = self.value(before, before)
        new = value + 1 if value + 1 < 2**field.width else value - 1
        if (index := self.index(before)) is None:
            return {**before, self.field: new}
        elements = list(before[self.field])
        elements[index] = new
        return {**before, self.field: elements}

    def value(self, values: Mapping[str, Any], before: Mapping[str, Any]) -> int:
        index = self.index(before)
        return int(values[self.field] if index is None else values[self.field][index])

    def name(self, before: Mapping[str, Any]) -> str:
        index = self.index(before)
        return self.field if index is None else f"{self.field}[{index}]"

    def get(self, node: SubnetNode) -> Request:
        return Request(node.lid, CONGESTION_CONTROL, self.attribute)

    def set(self, node: SubnetNode, values: Mapping[str, Any]) -> Request:
        content = wire.pack(self.layout, values, for_set=True)[:PAYLOAD_BYTES]
        return Request(node.lid, CONGESTION_CONTROL, self.attribute, 0, content, SET)

    def read(self, reply: Reply) -> dict[str, Any] | None:
        """The values of an answer; None for one without."""
        if not reply.is_good or reply.attribute != self.attribute:
            return None
        return self._unpacked(reply.data[:PAYLOAD_BYTES])

    def _unpacked(self, content: bytes) -> dict[str, Any]:
        return wire.unpack(self.layout, content.ljust(192, b"\0"))


@dataclass(frozen=True)
class SlTrial(Trial):
    """The last SL that the device's Control_Map names; where it names none, a Set would have to change it too."""

    def obstacle(self, before: Mapping[str, Any], found: Interview) -> str | None:
        return None if before["Control_Map"] else "Control_Map is 0x0, which names no SL"

    def index(self, before: Mapping[str, Any]) -> int | None:
        return int(before["Control_Map"]).bit_length() - 1 if before["Control_Map"] else None


@dataclass(frozen=True)
class MapTrial(Trial):
    """A Set with one bit of Control_Map: does it let the field through? The device's Control_Map must name all fields, so that
    the Set that undoes it leaves the Control_Map as it was."""

    bit: int = 0

    def obstacle(self, before: Mapping[str, Any], found: Interview) -> str | None:
        held = int(before["Control_Map"])
        return None if held == _ALL_FIELDS else f"Control_Map is 0x{held:x}, not 0x{_ALL_FIELDS:x}"

    def changed(self, before: Mapping[str, Any]) -> dict[str, Any]:
        return super().changed(before) | {"Control_Map": 1 << self.bit}

    def name(self, before: Mapping[str, Any]) -> str:
        return f"{self.field} by bit {self.bit} of Control_Map"


@dataclass(frozen=True)
class VlTrial(Trial):
    """VL 0 of the node's port, named as the readings `mask` and `modifier` of CongestionPortProfileSettings alike name it.

    Firmware may ignore vl_mask in a Set, and change all VLs. So the VLs that were asked must hold the same values: then the Set
    that restores one of them restores all.
    """

    def obstacle(self, before: Mapping[str, Any], found: Interview) -> str | None:
        contents = [found.good(of_vl(vl)) for vl in VLS_ASKED]
        if all(
            content is not None and self._without_vl(self._unpacked(content)) == self._without_vl(before) for content in contents
        ):
            return None
        return f"VLs {', '.join(map(str, VLS_ASKED))} do not all answer with the same values"

    def _without_vl(self, values: Mapping[str, Any]) -> dict[str, Any]:
        return {name: value for name, value in values.items() if name != "vl_mask"}

    def get(self, node: SubnetNode) -> Request:
        return self.get_of(node, 0)

    def get_of(self, node: SubnetNode, vl: int) -> Request:
        """A Get of a VL by the reading `mask`."""
        return Request(node.lid, CONGESTION_CONTROL, self.attribute, node.port, vl_asked(vl))

    def set(self, node: SubnetNode, values: Mapping[str, Any]) -> Request:
        content = wire.pack(self.layout, {**values, "vl_mask": _VL_0}, for_set=True)[:PAYLOAD_BYTES]
        return Request(node.lid, CONGESTION_CONTROL, self.attribute, node.port, content, SET)


_MARKING = (0x0014, "SwitchCongestionSetting", "Marking_Rate")
_MARKING_BIT_OPENSM, _MARKING_BIT_IBIS = 4, 0
"""Bits of Control_Map for Marking_Rate by OpenSM (osm_subnet.c) and by Mellanox' ibis (its header of 2011)."""

TRIALS: Mapping[str, tuple[Trial, ...]] = {
    "switch": (
        MapTrial(*_MARKING, bit=_MARKING_BIT_OPENSM),
        MapTrial(*_MARKING, bit=_MARKING_BIT_IBIS),
        Trial(0xFF08, "CongestionSwitchGeneralSettings", "aqs_weight"),
        VlTrial(0xFF09, "CongestionPortProfileSettings", "profile1_max"),
    ),
    "adapter": (
        SlTrial(0x0016, "CACongestionSetting", "CCTI_Timer"),
        Trial(0xFF21, "CongestionHCARPParameters", "rpg_hai_rate"),
        Trial(0xFF22, "CongestionHCANPParameters", "min_time_between_cnps"),
    ),
}
"""Trials by kind of device."""
