# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from typing import Any

import pytest

from tuner.cli.fabric_live import differing, more_of_change


def row(description: str, dialect: str | None, **other: Any) -> dict[str, Any]:
    model = {"kind": "ca", "vendor_id": "0x0002c9", "device_id": "0x101b", "firmware": "20.39.1002", "psid": "MT_1"}
    return {**model, "description": description, "dialect": dialect, **other}


def test_devices_of_one_model_that_differ_are_said() -> None:
    assert list(differing([row("A", "a10"), row("B", "nvidia"), row("C", "a10")])) == [
        "devices of one model (0x0002c9:0x101b, firmware 20.39.1002) differ: A has a10, B has nvidia"
    ]


def facts(**other: Any) -> dict[str, Any]:
    adapter = {"ver0": True, "ver1": True, "capabilities": "0x6", "vl_in": None, "vls": None, "buffer_bytes": None, "fault": None}
    return {**adapter, "algorithms": [[7, 1, 0], [9, 1, 0]], **other}


@pytest.mark.parametrize(
    ("other", "told"),
    [
        ({"algorithms": [[9, 1, 0], [7, 1, 0]]}, "PPCC algorithms of A: 7 (1.0) 9 (1.0), PPCC algorithms of C: 9 (1.0) 7 (1.0)"),
        ({"ver0": False}, "DCQCN of A: yes, DCQCN of C: no"),
        ({"ver1": False, "algorithms": None}, "PPCC of A: yes, PPCC of C: no"),
        ({"capabilities": "0x46"}, "capabilities of A: 0x6, capabilities of C: 0x46"),
        ({"vl_in": "mask"}, "the place of the VL in 0xFF09 of A: none, the place of the VL in 0xFF09 of C: mask"),
        ({"vls": 4}, "VLs of A: none, VLs of C: 4"),
        ({"buffer_bytes": 9}, "bytes of buffer of A: none, bytes of buffer of C: 9"),
        ({"fault": "X: odd", "ver0": False}, "the test that failed of A: none, the test that failed of C: X: odd"),
    ],
)
def test_whatever_differs_is_said(other: dict[str, Any], told: str) -> None:
    rows = [row("A", "nvidia", nvidia=facts()), row("B", "nvidia", nvidia=facts()), row("C", "nvidia", nvidia=facts(**other))]
    sentences = list(differing(rows))
    assert sentences[0] == f"devices of one model (0x0002c9:0x101b, firmware 20.39.1002) differ: {told}"
    assert len(sentences) == (2 if "algorithms" in other and other.keys() > {"algorithms"} else 1)
    assert not list(differing(rows[:2]))


def test_devices_that_may_differ_are_not() -> None:
    rows = [row("A", "a10"), row("B", "nvidia", psid="MT_2"), row("C", "both", firmware="20.40.1000"), row("D", None)]
    unknown = [row(name, dialect, firmware=None) for name, dialect in (("E", "a10"), ("F", "nvidia"))]
    assert not list(differing([*rows, row("G", "unknown"), *unknown]))


def test_one_of_something_is_not_many() -> None:
    line: dict[str, Any] = {"profile": None, "why": None, "message": None, "settled": 4, "devices": 4}
    assert list(more_of_change({**line, "sets": 1, "omitted": 1, "missed": 1})) == [
        "4 of 4 devices settled by 1 Set",
        "1 earlier refusal is left out",
        "1 earlier line could not be stored",
    ]
    assert list(more_of_change({**line, "sets": 2000, "omitted": 2, "missed": 2})) == [
        "4 of 4 devices settled by 2,000 Sets",
        "2 earlier refusals are left out",
        "2 earlier lines could not be stored",
    ]
