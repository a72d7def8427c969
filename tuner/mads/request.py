# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A MAD that asks a device for an attribute, its reply, and what each looks like on the wire (IBA vol. 1, 13.4.2)."""

import struct
from dataclasses import dataclass, field

MAD_BYTES = 256
SUBNET_LID_ROUTED = 0x01
PERFORMANCE = 0x04
MELLANOX_VENDOR = 0x0A
"""A class of vendors, as Mellanox uses it."""
CONGESTION_CONTROL = 0x21
GET, SET = 0x01, 0x02
_VERSIONS = {CONGESTION_CONTROL: 2}
"""Versions of classes other than 1."""
DATA_AT = 64
"""Offset of the attribute in a MAD of most classes, in bytes."""
_EARLY_DATA_AT = 32
_CONGESTION_LOG = 0x0013
_RESPONSE = 0x80
_HEADER = struct.Struct(">BBBBHHQHHI")


@dataclass(frozen=True)
class Request:
    """`modifier`: of the attribute. `data`: the attribute's first bytes, at most 192; the rest is zero. `key`: CC_Key, of class
    CONGESTION_CONTROL alone."""

    lid: int
    mgmt_class: int
    attribute: int
    modifier: int = 0
    data: bytes = b""
    method: int = GET
    key: int = field(default=0, repr=False)


@dataclass(frozen=True)
class Reply:
    """`status`: of the MAD, 0 if the device did what it was asked; None if it did not answer. `data`: the attribute, 192 bytes,
    of which an emulated fabric delivers the first 160; 224 and 192 of CongestionLog and of a vendor's class. `attribute`: the
    number in the answer, which some firmware confuses."""

    status: int | None
    data: bytes = b""
    attribute: int | None = None

    @property
    def is_good(self) -> bool:
        """True if the device answered without an error. Bit 15 is the direction bit of directed routes."""
        return self.status is not None and self.status & 0x7FFF == 0


UNANSWERED = Reply(None)


def packed(request: Request, transaction: int) -> bytes:
    """Returns the 256 bytes of a request. `transaction`: 32 bits; the kernel writes the upper half of the field."""
    version, at = class_version(request.mgmt_class), data_at(request.mgmt_class, request.attribute)
    fields = (1, request.mgmt_class, version, request.method, 0, 0, transaction, request.attribute, 0, request.modifier)
    key = request.key.to_bytes(8, "big") if request.mgmt_class == CONGESTION_CONTROL else b""
    return ((_HEADER.pack(*fields) + key).ljust(at, b"\0") + request.data).ljust(MAD_BYTES, b"\0")


def unpacked(mad: bytes) -> tuple[int, bool, Reply]:
    """Returns the transaction's lower 32 bits, whether the MAD is a response, and the reply."""
    _, mgmt_class, _, method, status, _, transaction, attribute, _, _ = _HEADER.unpack_from(mad)
    reply = Reply(status, mad[data_at(mgmt_class, attribute) :], attribute)
    return transaction & 0xFFFFFFFF, bool(method & _RESPONSE), reply


def class_version(mgmt_class: int) -> int:
    return _VERSIONS.get(mgmt_class, 1)


def data_at(mgmt_class: int, attribute: int) -> int:
    """The offset of an attribute in its MAD, in bytes."""
    early = mgmt_class == MELLANOX_VENDOR or (mgmt_class, attribute) == (CONGESTION_CONTROL, _CONGESTION_LOG)
    return _EARLY_DATA_AT if early else DATA_AT
