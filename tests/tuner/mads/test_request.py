# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Places in MADs, by offsets of the specification and of rdma-core's fields.c."""

import pytest

from tuner.mads.request import CONGESTION_CONTROL, MELLANOX_VENDOR, PERFORMANCE, SET, Reply, Request, packed, unpacked


@pytest.mark.parametrize(
    ("mgmt_class", "attribute", "version", "at"),
    [
        (PERFORMANCE, 0x12, 1, 64),
        (CONGESTION_CONTROL, 0xFF09, 2, 64),
        (CONGESTION_CONTROL, 0x13, 2, 32),
        (MELLANOX_VENDOR, 0x17, 1, 32),
    ],
)
def test_the_data_stands_where_the_class_has_it(mgmt_class: int, attribute: int, version: int, at: int) -> None:
    mad = packed(Request(7, mgmt_class, attribute, 0x10002, b"\x12\x34", SET), 0x89ABCDEF)
    assert len(mad) == 256
    assert mad[:4] == bytes([1, mgmt_class, version, SET])
    assert mad[12:24] == bytes.fromhex("89abcdef") + attribute.to_bytes(2, "big") + bytes(2) + bytes.fromhex("00010002")
    assert mad[24:at] == bytes(at - 24)
    assert mad[at : at + 3] == b"\x12\x34\0"


def test_an_answer_says_which_attribute_it_is() -> None:
    mad = bytearray(packed(Request(7, MELLANOX_VENDOR, 0x18, data=b"ab"), 5))
    mad[3], mad[4:6] = 0x81, b"\0\x1c"
    assert unpacked(bytes(mad)) == (5, True, Reply(0x1C, b"ab" + bytes(222), 0x18))
