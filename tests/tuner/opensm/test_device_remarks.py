# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.opensm.device_remarks import device_remarks

FINE: dict[str, object] = {
    "refusal": None,
    "refused": [],
    "differences": [],
    "key": "none",
    "cct_truncated": False,
    "drifts": 0,
    "control_table_cap": 2,
}


@pytest.mark.parametrize(
    ("wrong", "remarks"),
    [
        ({}, []),
        ({"refusal": "unsupported attribute (0x000c)"}, ["unsupported attribute (0x000c)"]),
        ({"refusal": "unsupported attribute (0x000c)", "dialect": "nvidia", "state": "applied"}, []),
        (
            {"refusal": "unsupported attribute (0x000c)", "dialect": "nvidia", "state": "unsupported"},
            ["unsupported attribute (0x000c)"],
        ),
        (
            {"refused": [{"attribute": "CongestionControlTable", "block": 1, "text": "invalid value (0x001c)"}]},
            ["refused CongestionControlTable 1: invalid value (0x001c)"],
        ),
        (
            {
                "differences": [
                    {"field": "CCTI_Limit", "index": None, "held": 63, "wanted": 127},
                    {"field": "CCTI_Min", "index": 3, "held": 0, "wanted": 1},
                ]
            },
            ["CCTI_Limit is 63, not 127", "CCTI_Min[3] is 0, not 1"],
        ),
        (
            {"key": "foreign", "cct_truncated": True, "drifts": 2},
            ["protected by a CC_Key that the key file does not have", "its CCT has room for 128 entries", "drifted 2 times"],
        ),
    ],
)
def test_remarks(wrong: dict[str, object], remarks: list[str]) -> None:
    assert list(device_remarks(FINE | wrong)) == remarks
