# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""GeneralInfo of Mellanox' vendor class 0x0A: firmware and board of a device (rdma-core, infiniband-diags/vendstat.c)."""

from dataclasses import dataclass

from tuner.mads.request import MELLANOX_VENDOR, Request

_GENERAL_INFO = 0x0017
_VENDORS = frozenset(
    (0x0002C9, 0xF45214, 0x00258B, 0xE41D2D, 0x7CFE90, 0xEC0D9A, 0x248A07, 0x506B4B, 0x98039B, 0x080038, 0x00119F)
)
"""OUIs of Mellanox, as OpenSM knows them (osm_base.h), and of Bull, whose devices vendstat reads too. The class means other
things to other vendors."""
_DEVICE_WITHOUT_EXTENDED_VERSION = 47396
"""InfiniScale III has another version where later devices have the firmware's extended one."""


@dataclass(frozen=True)
class GeneralInfo:
    """`firmware`: such as 31.2012.1024. `psid`: of the board, may be empty."""

    firmware: str
    psid: str


def tells_firmware(vendor_id: int) -> bool:
    """Returns whether devices of a vendor may be asked for GeneralInfo."""
    return vendor_id in _VENDORS


def ask_general_info(lid: int) -> Request:
    return Request(lid, MELLANOX_VENDOR, _GENERAL_INFO)


def general_info(data: bytes, attribute: int | None) -> GeneralInfo | None:
    """`data`, `attribute`: of the answer. Returns None for an answer without a version, or of another attribute."""
    if attribute != _GENERAL_INFO:
        return None
    extended = [int.from_bytes(data[at : at + 4], "big") for at in (68, 72, 76)]
    if not any(extended) or int.from_bytes(data[2:4], "big") == _DEVICE_WITHOUT_EXTENDED_VERSION:
        extended = list(data[33:36])
    if not any(extended):
        return None
    text = data[48:64].decode("latin-1")
    end = next((i for i, letter in enumerate(text) if not " " < letter < "\x7f"), len(text))
    return GeneralInfo(".".join(map(str, extended)), text[:end])
