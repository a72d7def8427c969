# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.mads.port_info import Best, ask_port_info, port_info


def data(**at: int) -> bytes:
    """64 bytes with these values, by `b` and their place."""
    made = bytearray(64)
    for name, value in at.items():
        made[int(name[1:])] = value
    return bytes(made)


@pytest.mark.parametrize(
    ("told", "active", "enabled", "supported"),
    [
        # Basic speeds: supported and state in 32, active and enabled in 35. Widths: enabled 29, supported 30, active 31.
        (data(b29=3, b30=3, b31=2, b32=0x34, b35=0x23), Best(4, "DDR"), Best(4, "DDR"), Best(4, "DDR")),
        (data(b29=1, b30=3, b31=1, b32=0x74, b35=0x41), Best(1, "QDR"), Best(1, "SDR"), Best(4, "QDR")),
        # Extended speeds: active and supported in 62, enabled in 63; a link at EDR says QDR in the basic field.
        (data(b29=3, b30=3, b31=2, b32=0x74, b35=0x47, b62=0x23, b63=3), Best(4, "EDR"), Best(4, "EDR"), Best(4, "EDR")),
        (data(b29=0x13, b30=0x13, b31=16, b32=0x74, b35=0x47, b62=0x87, b63=30), Best(2, "NDR"), Best(4, "QDR"), Best(4, "HDR")),
        # XDR: active, supported and enabled in 56.
        (
            data(b29=2, b30=2, b31=2, b32=0x74, b35=0x47, b56=0x29, b62=0x0F, b63=15),
            Best(4, "XDR"),
            Best(4, "XDR"),
            Best(4, "XDR"),
        ),
        (data(), Best(None, None), Best(None, None), Best(None, None)),
    ],
)
def test_width_and_speed_stand_where_the_specification_has_them(
    told: bytes, active: Best, enabled: Best, supported: Best
) -> None:
    info = port_info(told)
    assert (info.active, info.enabled, info.supported) == (active, enabled, supported)


def test_states_have_names() -> None:
    info = port_info(data(b32=0x02, b33=0x50))
    assert (info.state, info.physical) == ("init", "link-up")
    assert (port_info(data()).state, port_info(data()).physical) == (None, None)


def test_the_port_is_the_modifier() -> None:
    request = ask_port_info(7, 19)
    assert (request.lid, request.mgmt_class, request.attribute, request.modifier) == (7, 1, 0x15, 19)
