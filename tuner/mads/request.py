# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A MAD that asks a device for an attribute, its reply, and what each looks like on the wire (IBA vol. 1, 13.4.2)."""

import struct
from dataclasses import dataclass

MAD_BYTES = 256
DATA_AT = 64
"""Offset of the attribute in a MAD of the classes that are read here, in bytes."""
SUBNET_LID_ROUTED = 0x01
PERFORMANCE = 0x04
GET, SET = 0x01, 0x02
_RESPONSE = 0x80
_HEADER = struct.Struct(">BBBBHHQHHI")


@dataclass(frozen=True)
class Request:
    """`modifier`: of the attribute. `data`: the attribute's first bytes, at most 192; the rest is zero."""

    lid: int
    mgmt_class: int
    attribute: int
    modifier: int = 0
    data: bytes = b""
    method: int = GET


@dataclass(frozen=True)
class Reply:
    """`status`: of the MAD, 0 if the device did what it was asked; None if it did not answer. `data`: the attribute, 192 bytes,
    of which an emulated fabric delivers the first 160."""

    status: int | None
    data: bytes = b""

    @property
    def is_good(self) -> bool:
        """True if the device answered without an error. Bit 15 is the direction bit of directed routes."""
        return self.status is not None and self.status & 0x7FFF == 0


UNANSWERED = Reply(None)


def packed(request: Request, transaction: int) -> bytes:
    """Returns the 256 bytes of a request. `transaction`: 32 bits; the kernel writes the upper half of the field."""
    header = _HEADER.pack(1, request.mgmt_class, 1, request.method, 0, 0, transaction, request.attribute, 0, request.modifier)
    return (header.ljust(DATA_AT, b"\0") + request.data).ljust(MAD_BYTES, b"\0")


def unpacked(mad: bytes) -> tuple[int, bool, Reply]:
    """Returns the transaction's lower 32 bits, whether the MAD is a response, and the reply."""
    _, _, _, method, status, _, transaction, _, _, _ = _HEADER.unpack_from(mad)
    return transaction & 0xFFFFFFFF, bool(method & _RESPONSE), Reply(status, mad[DATA_AT:])
