# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices in this process that answer Gets and Sets of class 0x21, written from docs/operate/nvidia-opensm.md and annex A10's
layouts."""

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from ccsim import wire
from tuner.mads.client import Read
from tuner.mads.request import CONGESTION_CONTROL, SET, UNANSWERED, Reply, Request
from tuner.probe.subnet_nodes import SubnetNode

MISSING, BAD = 0x000C, 0x001C
_NAMES = {
    0x01: "ClassPortInfo",
    0x11: "CongestionInfo",
    0x12: "CongestionKeyInfo",
    0x14: "SwitchCongestionSetting",
    0x15: "SwitchPortCongestionSetting",
    0x16: "CACongestionSetting",
    0x17: "CongestionControlTable",
    0x18: "TimeStamp",
    0xFF00: "EnhancedCongestionInfo",
    0xFF08: "CongestionSwitchGeneralSettings",
    0xFF10: "CongestionSLMappingSettings",
    0xFF20: "CongestionHCAGeneralSettings",
    0xFF21: "CongestionHCARPParameters",
    0xFF22: "CongestionHCANPParameters",
    0xFF25: "CongestionHCAAlgoConfigParams",
}
_THRESHOLDS = "CongestionPortProfileSettings"
A10_SWITCH, A10_ADAPTER = (0x11, 0x14, 0x15, 0x13, 0x18), (0x11, 0x16, 0x17, 0x13, 0x18)
NVIDIA_SWITCH = (0xFF00, 0xFF08, 0xFF09, 0xFF10)
DCQCN = (0xFF00, 0xFF20, 0xFF21, 0xFF22)
PPCC = (0xFF00, 0xFF20, 0xFF22, 0xFF24, 0xFF25)


@dataclass
class Device:
    """`quirk`: echo, empty, noise, first-port or silent, of NVIDIA's attributes. `clips`: field whose largest value is 100.
    `forgets`: a Set is answered with success and changes nothing. `vls`: profile1_max by VL, of every port.
    `ignores_mask`: a Set changes them all. `marking_bit`: of Control_Map, for Marking_Rate."""

    knows: tuple[int, ...]
    kind: str = "switch"
    num_ports: int = 36
    by_modifier: bool = False
    quirk: str = ""
    key: int = 0
    protects: bool = False
    clips: str = ""
    marking_bit: int = 4
    forgets: bool = False
    refuses_sets: bool = False
    ignores_mask: bool = False
    vls: dict[int, int] = field(default_factory=dict)
    values: dict[int, dict[str, Any]] = field(default_factory=dict)
    log: bytes | None = None
    general_info: bytes | None = None
    sent: list[Request] = field(default_factory=list)
    dies_after: int = 1 << 30

    def answer(self, request: Request) -> Reply:
        self.sent.append(request)
        if len(self.sent) > self.dies_after:
            return UNANSWERED
        if request.mgmt_class != CONGESTION_CONTROL:
            return UNANSWERED if self.general_info is None else Reply(0, self.general_info, request.attribute)
        if self.key and request.attribute != 0x12 and request.key != self.key:
            return UNANSWERED
        if request.attribute >= 0xFF00 and self.quirk and self.knows:
            if self.quirk == "silent":
                return UNANSWERED
            quick = {"echo": request.data, "empty": b"", "noise": random.Random(len(self.sent)).randbytes(192)}
            if self.quirk in quick:
                return Reply(0, quick[self.quirk].ljust(192, b"\0"), request.attribute)
        status, data = self._answer(request)
        return Reply(status, data.ljust(192, b"\0"), request.attribute)

    def _answer(self, request: Request) -> tuple[int, bytes]:
        attribute = request.attribute
        if attribute not in (*self.knows, 0x01, 0x12):
            return MISSING, b""
        if attribute == 0x13:
            return 0, self.log or bytes([1 if self.kind == "switch" else 2])
        if attribute == 0xFF09:
            return self._thresholds(request)
        if attribute == 0xFF24:
            listed = {"algo_id": [7] + [0] * 15, "algo_major_version": [2] + [0] * 15, "encap_len": 4, "encap_type": 2}
            values = listed if request.data[7] == 2 else {}
            return (0, wire.pack("CongestionHCAAlgoConfig (algorithms)", values)) if request.modifier == 0 else (BAD, b"")
        if attribute == 0x12:
            values = {
                "CC_Key": 0 if self.protects and request.key != self.key else self.key,
                "CC_KeyProtectBit": int(self.protects),
            }
            return 0, wire.pack("CongestionKeyInfo", values)
        if not self._is_modifier_right(request):
            return BAD, b""
        return self._held(request)

    def _held(self, request: Request) -> tuple[int, bytes]:
        name = _NAMES[request.attribute]
        held = self.values.setdefault(request.attribute, {})
        if request.method == SET:
            if self.refuses_sets:
                return BAD, request.data
            if not self.forgets:
                changed = wire.unpack(name, request.data.ljust(192, b"\0"))
                if request.attribute == 0x14 and not changed["Control_Map"] >> self.marking_bit & 1:
                    changed.pop("Marking_Rate")
                held.update(changed)
                if self.clips in held:
                    held[self.clips] = min(held[self.clips], 100)
        return 0, wire.pack(name, held)

    def _is_modifier_right(self, request: Request) -> bool:
        if request.attribute == 0xFF10:
            return self.quirk == "first-port" or 0 < request.modifier <= self.num_ports
        return request.modifier == 0

    def _thresholds(self, request: Request) -> tuple[int, bytes]:
        port, vl = request.modifier, 0
        asked = int.from_bytes(request.data[2:4], "big")
        if self.by_modifier:
            port, vl = request.modifier & 0xFFFF, request.modifier >> 16
        elif asked:
            vl = asked.bit_length() - 1
        if not (0 < port <= self.num_ports or self.quirk == "first-port"):
            return BAD, b""
        if request.method == SET:
            if self.refuses_sets:
                return BAD, request.data
            masked = [one for one in range(16) if asked >> one & 1 and (not self.by_modifier or one == vl)]
            named = range(16) if self.ignores_mask else masked
            if not self.forgets:
                self.vls |= dict.fromkeys(named, wire.unpack(_THRESHOLDS, request.data.ljust(192, b"\0"))["profile1_max"])
            return 0, request.data
        most = self.vls.get(vl, 0)
        alike = [other for other in range(16) if self.vls.get(other, 0) == most]
        mask = 1 << vl if self.by_modifier else sum(1 << other for other in alike)
        return 0, wire.pack(_THRESHOLDS, {"mode": 1, "vl_mask": mask, "profile1_max": most})


class Fabric:
    """Devices by LID, from 1 on; asks as MadReader does."""

    def __init__(self, *devices: Device) -> None:
        self.devices = devices

    def node(self, number: int, *, vendor_id: int = 0x2C9, device_id: int = 0xD2F2) -> SubnetNode:
        device = self.devices[number]
        guid = 0x2C9_0300_AABB_0000 + number
        return SubnetNode(device.kind, guid, f"secret-{number}", vendor_id, device_id, device.num_ports, 3, number + 1)

    def read(self, requests: Sequence[Request]) -> list[Read]:
        return [Read(self.devices[request.lid - 1].answer(request), 0.0) for request in requests]
