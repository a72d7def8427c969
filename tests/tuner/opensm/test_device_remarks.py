# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest

from tuner.opensm.device_remarks import device_remarks, differences_told

FINE: dict[str, object] = {
    "refusal": None,
    "refused": [],
    "differences": [],
    "key": "none",
    "cct_truncated": False,
    "drifts": 0,
    "control_table_cap": 2,
}


def differs(
    attribute: str, block: int, field: str, index: int | None = None, *, scope: int | None = None, held: int = 0, wanted: int = 1
) -> dict[str, object]:
    place = {"attribute": attribute, "block": block, "scope": scope, "field": field, "index": index}
    return {**place, "held": held, "wanted": wanted}


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
            {
                "differences": [
                    differs("CongestionControlTable", 0, "CCTI_Limit", held=63, wanted=127),
                    differs("CongestionControlTable", 1, "CCTI_Limit", held=63, wanted=127),
                    differs("CongestionControlTable", 1, "CCT_Shift", 0, held=0, wanted=1),
                ]
            },
            ["CCTI_Limit is 63, not 127", "CCT_Shift of CCT entry 64 is 0, not 1"],
        ),
        (
            {
                "differences": [
                    differs("SwitchPortCongestionSetting", 1, "Threshold", 3),
                    differs("CongestionPortProfileSettings", 7, "profile1_max", scope=0x000F),
                    differs("CongestionPortProfileSettings", 7, "profile1_max", scope=0x0030),
                    differs("CongestionPortProfileSettings", 2 << 16 | 7, "profile1_max", scope=0x0004),
                    differs("CongestionSLMappingSettings", 7, "sl_profile", 5),
                    differs("CongestionHCAAlgoConfig", 1, "algo_en", scope=0x0111),
                    differs("CongestionHCAAlgoConfigParams", 1, "parameter", 4),
                ]
            },
            [
                "Threshold of port 35 is 0, not 1",
                "profile1_max of port 7, VLs 0 to 3 is 0, not 1",
                "profile1_max of port 7, VLs 4 and 5 is 0, not 1",
                "profile1_max of port 7, VL 2 is 0, not 1",
                "sl_profile[5] of port 7 is 0, not 1",
                "algo_en of slot 1, SLs 0, 4 and 8 is 0, not 1",
                "parameter[4] of slot 1 is 0, not 1",
            ],
        ),
        (
            {"key": "foreign", "cct_truncated": True, "drifts": 2},
            ["protected by a CC_Key that the key file does not have", "its CCT has room for 128 entries", "drifted 2 times"],
        ),
    ],
)
def test_remarks(wrong: dict[str, object], remarks: list[str]) -> None:
    assert list(device_remarks(FINE | wrong)) == remarks


def test_what_was_repaired_is_told_with_what_it_was() -> None:
    limit = {"attribute": "CACongestionSetting", "block": 0, "scope": None, "field": "CCTI_Limit", "index": None}
    found = [limit | {"wanted": 127, "held": 0}, limit | {"wanted": 127, "held": 0}]
    assert list(differences_told(found)) == ["CCTI_Limit was 0, and is 127 again"]
