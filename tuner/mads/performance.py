# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Attributes of the performance management class that are read here (IBA vol. 1, 16.1.3 and 16.1.4), and what is in them."""

from collections.abc import Mapping
from dataclasses import dataclass

from tuner.mads.request import PERFORMANCE, SET, Request

_CLASS_PORT_INFO, _PORT_SAMPLES_CONTROL, _PORT_COUNTERS, _PORT_COUNTERS_EXTENDED = 0x0001, 0x0010, 0x0012, 0x001D
_XMIT_WAIT_SUPPORTED = 1 << 12
"""Bit of CapabilityMask."""
_ERRORS_ARE_EXTENDED = 1 << 1
"""Bit of CapabilityMask2: PortCountersExtended has the counters of errors, and PortXmitWait."""

XMIT_WAIT = "PortXmitWait"


@dataclass(frozen=True)
class _Field:
    """`at`, `width`: in bits, of the attribute, the most significant bit first. `select`: its bit of CounterSelect, or from 16 on
    of CounterSelect2."""

    at: int
    width: int
    select: int


PLAIN: Mapping[str, _Field] = {
    "SymbolErrorCounter": _Field(32, 16, 0),
    "LinkErrorRecoveryCounter": _Field(48, 8, 1),
    "LinkDownedCounter": _Field(56, 8, 2),
    "PortRcvErrors": _Field(64, 16, 3),
    "PortRcvRemotePhysicalErrors": _Field(80, 16, 4),
    "PortXmitDiscards": _Field(112, 16, 6),
    "PortXmitConstraintErrors": _Field(128, 8, 7),
    "PortRcvConstraintErrors": _Field(136, 8, 8),
    "LocalLinkIntegrityErrors": _Field(152, 4, 9),
    "ExcessiveBufferOverrunErrors": _Field(156, 4, 10),
    XMIT_WAIT: _Field(320, 32, 16),
}
"""The counters of PortCounters. PortRcvSwitchRelayErrors and VL15Dropped are left out: multicast and sweeps of a subnet
manager raise them on links without a fault."""
EXTENDED: Mapping[str, _Field] = {
    "SymbolErrorCounter": _Field(576, 64, 16),
    "LinkErrorRecoveryCounter": _Field(640, 64, 17),
    "LinkDownedCounter": _Field(704, 64, 18),
    "PortRcvErrors": _Field(768, 64, 19),
    "PortRcvRemotePhysicalErrors": _Field(832, 64, 20),
    "PortXmitDiscards": _Field(960, 64, 22),
    "PortXmitConstraintErrors": _Field(1024, 64, 23),
    "PortRcvConstraintErrors": _Field(1088, 64, 24),
    "LocalLinkIntegrityErrors": _Field(1152, 64, 25),
    "ExcessiveBufferOverrunErrors": _Field(1216, 64, 26),
    XMIT_WAIT: _Field(1344, 64, 28),
}
COUNTERS = tuple(PLAIN)


@dataclass(frozen=True)
class Ability:
    """Counters that a device has. `extended`: all counters have 64 bits. `waits`: it counts PortXmitWait."""

    extended: bool
    waits: bool

    @property
    def largest(self) -> tuple[int, ...]:
        """Largest value of each counter, at which it stays."""
        fields = EXTENDED if self.extended else PLAIN
        return tuple((1 << fields[name].width) - 1 for name in COUNTERS)


def ask_ability(lid: int) -> Request:
    return Request(lid, PERFORMANCE, _CLASS_PORT_INFO)


def ability(data: bytes) -> Ability:
    """`data`: of ClassPortInfo."""
    first, second = bits(data, 16, 16), bits(data, 32, 27)
    extended = bool(second & _ERRORS_ARE_EXTENDED)
    return Ability(extended=extended, waits=extended or bool(first & _XMIT_WAIT_SUPPORTED))


def ask_tick(lid: int, port: int) -> Request:
    return Request(lid, PERFORMANCE, _PORT_SAMPLES_CONTROL, data=bytes([0, port]))


def tick_bytes(data: bytes) -> int:
    """Returns after how many bytes PortXmitWait counts one, 1 to 256. `data`: of PortSamplesControl."""
    return bits(data, 16, 8) + 1


def ask_counters(lid: int, port: int, able: Ability) -> Request:
    attribute = _PORT_COUNTERS_EXTENDED if able.extended else _PORT_COUNTERS
    return Request(lid, PERFORMANCE, attribute, data=bytes([0, port]))


def counters(data: bytes, able: Ability) -> tuple[int | None, ...]:
    """Returns the values of COUNTERS; None for one that the device does not have. `data`: of the attribute of `ask_counters`."""
    fields = EXTENDED if able.extended else PLAIN
    return tuple(
        None if name == XMIT_WAIT and not able.waits else bits(data, fields[name].at, fields[name].width) for name in COUNTERS
    )


def ask_data(lid: int, port: int) -> Request:
    """Also of a device whose other counters have 32 bits or fewer: PortXmitData has no more than these in PortCounters, which are
    full after seconds."""
    return Request(lid, PERFORMANCE, _PORT_COUNTERS_EXTENDED, data=bytes([0, port]))


def xmit_words(data: bytes) -> int:
    """Returns PortXmitData, in words of 4 bytes. `data`: of PortCountersExtended."""
    return bits(data, 64, 64)


def clear(lid: int, port: int, able: Ability, names: list[str]) -> Request:
    """The request that sets these counters of a port to 0, and leaves the others."""
    fields, attribute = (EXTENDED, _PORT_COUNTERS_EXTENDED) if able.extended else (PLAIN, _PORT_COUNTERS)
    selected = sum(1 << fields[name].select for name in names)
    first, second = selected & 0xFFFF, selected >> 16
    data = bytearray(24)
    data[1] = port
    data[2:4] = first.to_bytes(2, "big")
    if able.extended:
        data[4:8] = second.to_bytes(4, "big")
    else:
        data[18] = second
    return Request(lid, PERFORMANCE, attribute, data=bytes(data), method=SET)


def bits(data: bytes, at: int, width: int) -> int:
    """Returns a field of an attribute: `at` and `width` in bits, the most significant bit first."""
    end = at + width
    value = int.from_bytes(data[at // 8 : (end + 7) // 8], "big")
    return value >> (-end % 8) & ((1 << width) - 1)
