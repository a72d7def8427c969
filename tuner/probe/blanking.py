# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Contents of answers as text, without what could identify a site: keys, GUIDs, LIDs, QPs, and whom devices send traps to."""

from collections.abc import Mapping, Set

from tuner.documents.probe_report import BLANK

_GUID_BYTES = 8
_BLANKED: Mapping[int, tuple[tuple[int, int], ...]] = {
    0x0001: ((8, 72),),  # ClassPortInfo: RedirectGID to TrapQ_Key
    0x0012: ((0, 8),),  # CongestionKeyInfo: CC_Key
    0x0013: ((2, 4), (12, 224)),  # CongestionLog: counters, events, and the map of a switch's ports from byte 8
}
"""Bytes from and to by attribute of class 0x21. Timestamps of a log's head stay, as their place is asked for."""


def text_of(attribute: int, data: bytes, guids: Set[int]) -> str:
    """The bytes in hexadecimal, without the zeros at the end; bytes that are left out are BLANK. `guids`: of the subnet, which
    some firmware leaves in bytes that it does not write."""
    hidden = {at for first, last in _BLANKED.get(attribute, ()) for at in range(first, last)}
    for at in range(len(data) - _GUID_BYTES + 1):
        if int.from_bytes(data[at : at + _GUID_BYTES], "big") in guids:
            hidden |= set(range(at, at + _GUID_BYTES))
    kept = data.rstrip(b"\0")
    return "".join(BLANK if at in hidden else f"{byte:02x}" for at, byte in enumerate(kept))
