# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

from tuner.cli.fabric_live import differing


def row(description: str, dialect: str | None, **other: Any) -> dict[str, Any]:
    model = {"kind": "ca", "vendor_id": "0x0002c9", "device_id": "0x101b", "firmware": "20.39.1002", "psid": "MT_1"}
    return {**model, "description": description, "dialect": dialect, **other}


def test_devices_of_one_model_that_differ_are_said() -> None:
    assert list(differing([row("A", "a10"), row("B", "nvidia"), row("C", "a10")])) == [
        "devices of one model (0x0002c9:0x101b, firmware 20.39.1002) differ: A has a10, B has nvidia"
    ]


def test_devices_that_may_differ_are_not() -> None:
    rows = [row("A", "a10"), row("B", "nvidia", psid="MT_2"), row("C", "both", firmware="20.40.1000"), row("D", None)]
    unknown = [row(name, dialect, firmware=None) for name, dialect in (("E", "a10"), ("F", "nvidia"))]
    assert not list(differing([*rows, row("G", "unknown"), *unknown]))
