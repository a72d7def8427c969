# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.mads.general_info import GeneralInfo, ask_general_info, general_info, tells_firmware
from tuner.mads.request import Request


def answer(device: int = 0, short: bytes = b"", extended: tuple[int, ...] = (), psid: bytes = b"") -> bytes:
    data = bytearray(224)
    data[2:4] = device.to_bytes(2, "big")
    data[33 : 33 + len(short)] = short
    data[48 : 48 + len(psid)] = psid
    for i, number in enumerate(extended):
        data[68 + 4 * i : 72 + 4 * i] = number.to_bytes(4, "big")
    return bytes(data)


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (answer(extended=(31, 2012, 1024), psid=b"MT_0000000634"), GeneralInfo("31.2012.1024", "MT_0000000634")),
        (answer(short=b"\x02\x09\x0a", psid=b"MT \xff"), GeneralInfo("2.9.10", "MT")),
        (answer(47396, b"\x05\x03\x00", (1, 2, 3)), GeneralInfo("5.3.0", "")),
        (answer(), None),
    ],
)
def test_versions(data: bytes, expected: GeneralInfo | None) -> None:
    assert general_info(data, 0x17) == expected


def test_an_answer_of_another_attribute_is_none() -> None:
    assert general_info(answer(extended=(1, 2, 3)), 0x18) is None


def test_only_devices_of_known_vendors_are_asked() -> None:
    assert (tells_firmware(0x2C9), tells_firmware(0x66A)) == (True, False)
    assert ask_general_info(3) == Request(3, 0x0A, 0x17)
