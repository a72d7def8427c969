# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""PortInfo of the subnet management class, read by LID: state, width and speed of a port (IBA vol. 1, 14.2.5.6)."""

from dataclasses import dataclass

from tuner.mads.request import SUBNET_LID_ROUTED, Request

_PORT_INFO = 0x0015
_STATES = {1: "down", 2: "init", 3: "armed", 4: "active"}
_PHYSICAL = {1: "sleep", 2: "polling", 3: "disabled", 4: "training", 5: "link-up", 6: "error-recovery", 7: "phy-test"}
_LANES = {1: 1, 16: 2, 2: 4, 4: 8, 8: 12}
"""Widths by the bit of their mask, the narrowest first."""


@dataclass(frozen=True)
class Best:
    """The widest width of a mask, in lanes, and the fastest speed. None: there is none."""

    width: int | None
    speed: str | None


@dataclass(frozen=True)
class PortInfo:
    """`state`: such as "active"; `physical`: such as "polling"."""

    state: str | None
    physical: str | None
    active: Best
    enabled: Best
    supported: Best


def ask_port_info(lid: int, port: int) -> Request:
    return Request(lid, SUBNET_LID_ROUTED, _PORT_INFO, port)


def port_info(data: bytes) -> PortInfo:
    """`data`: of the attribute. FDR10, which stands in a vendor's attribute, counts as QDR."""
    return PortInfo(
        state=_STATES.get(data[32] & 0xF),
        physical=_PHYSICAL.get(data[33] >> 4),
        active=Best(_width(data[31]), _speed(data[35] >> 4, data[62] >> 4, data[56] >> 5)),
        enabled=Best(_width(data[29]), _speed(data[35] & 0xF, _extended_enabled(data[63] & 0x1F), data[56] & 7)),
        supported=Best(_width(data[30]), _speed(data[32] >> 4, data[62] & 0xF, data[56] >> 3 & 3)),
    )


def _extended_enabled(value: int) -> int:
    """30 says that no extended speed is enabled."""
    return 0 if value == 30 else value & 0xF


def _width(mask: int) -> int | None:
    return max((lanes for bit, lanes in _LANES.items() if mask & bit), default=None)


def _speed(basic: int, extended: int, extended2: int) -> str | None:
    """`extended`: LinkSpeedExt: FDR, EDR, HDR, NDR from bit 0. `extended2`: LinkSpeedExt2: XDR."""
    masks = ((extended2, ("XDR",)), (extended, ("FDR", "EDR", "HDR", "NDR")), (basic, ("SDR", "DDR", "QDR")))
    for mask, names in masks:
        for bit in range(len(names) - 1, -1, -1):
            if mask >> bit & 1:
                return names[bit]
    return None
