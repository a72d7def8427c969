# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Questions that a probe asks a device: Gets of class 0x21, of whose content firmware looks at an SL or VL that it names.

Attributes of annex A10 come first, then NVIDIA's, each by the readings of the modifier that are possible
(docs/operate/nvidia-opensm.md). Two questions have content that no device should look at (`…/canary`): firmware that returns it
echoes requests. The first and the last question of NVIDIA's are the same.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from ccsim import wire

UNKNOWN_PORT = 254
"""Port that no switch has."""
VLS_ASKED = (0, 1, 2)
"""VLs of which a switch is asked for CongestionPortProfileSettings."""


@dataclass(frozen=True)
class Question:
    """`data`: content of the request."""

    name: str
    attribute: int
    modifier: int = 0
    data: bytes = b""


FIRST = Question("key-info", 0x0012)
"""CongestionKeyInfo: whether the device answers, and wants a key. A Get of it without the key is no violation; all others are."""


def questions(kind: str, num_ports: int, port: int) -> list[Question]:
    """All others. `kind`: switch or adapter. `port`: one with a cable."""
    of_kind = _of_switch(num_ports, port) if kind == "switch" else _of_adapter(port)
    return [Question("class-port-info", 0x0001), *of_kind]


def _of_switch(num_ports: int, port: int) -> Iterator[Question]:
    yield Question("congestion-info", 0x0011)
    yield Question("switch-setting", 0x0014)
    yield Question("switch-port-setting", 0x0015)
    yield Question("log", 0x0013)
    yield Question("time-stamp", 0x0018)
    yield Question("ff00", 0xFF00)
    yield Question("ff08", 0xFF08)
    yield Question("ff08/canary", 0xFF08, 0, wire.pack("CongestionSwitchGeneralSettings", {"aqs_weight": 9, "aqs_time": 17})[:12])
    for vl in VLS_ASKED:
        yield Question(of_vl(vl), 0xFF09, port, vl_asked(vl))
    yield Question("ff09/vl1-in-modifier", 0xFF09, 1 << 16 | port, vl_asked(1))
    yield Question("ff10", 0xFF10, port)
    if num_ports < UNKNOWN_PORT:
        yield Question("ff09/unknown-port", 0xFF09, UNKNOWN_PORT, vl_asked(0))
        yield Question("ff10/unknown-port", 0xFF10, UNKNOWN_PORT)
    yield Question("ff20/on-switch", 0xFF20)
    yield Question("ff00/again", 0xFF00)


def _of_adapter(port: int) -> Iterator[Question]:
    yield Question("congestion-info", 0x0011)
    yield Question("ca-setting", 0x0016)
    yield Question("control-table", 0x0017)
    yield Question("log", 0x0013)
    yield Question("time-stamp", 0x0018)
    yield Question("ff00", 0xFF00)
    yield Question("ff08/on-adapter", 0xFF08)
    yield Question("ff20", 0xFF20)
    yield Question("ff20/port-as-modifier", 0xFF20, port)
    yield Question("ff21", 0xFF21)
    yield Question("ff22", 0xFF22)
    canary = {"min_time_between_cnps": 0xA5A5, "cnp_sl": 9}
    yield Question("ff22/canary", 0xFF22, 0, wire.pack("CongestionHCANPParameters", canary)[:8])
    for slot in (0, 15):
        yield Question(f"ff24/slot{slot}/list", 0xFF24, slot, _algorithm_asked(1 << 0, 2))
        yield Question(f"ff24/slot{slot}/sl0", 0xFF24, slot, _algorithm_asked(1 << 0, 0))
        yield Question(f"ff25/slot{slot}", 0xFF25, slot, _algorithm_asked(0, 2))
    yield Question("ff24/slot0/text", 0xFF24, 0, _algorithm_asked(1 << 0, 1))
    yield Question("ff00/again", 0xFF00)


def of_vl(vl: int) -> str:
    """The name of the question about a VL, by the reading `mask`."""
    return f"ff09/vl{vl}"


def vl_asked(vl: int) -> bytes:
    """The content of a Get of CongestionPortProfileSettings that asks about a VL."""
    return wire.pack("CongestionPortProfileSettings", {"vl_mask": 1 << vl})[:4]


def _algorithm_asked(sls: int, encap_type: int) -> bytes:
    return wire.pack("CongestionHCAAlgoConfig", {"sl_bitmask": sls, "encap_type": encap_type})[:8]
