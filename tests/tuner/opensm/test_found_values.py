# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a device was found with of NVIDIA's attributes, in words."""

from typing import Any

import pytest

from tuner.opensm.found_values import told_found

RP: dict[str, Any] = {"attribute": "CongestionHCARPParameters", "scope": None, "algorithm": None, "held": {"rpg_ai_rate": 5}}
FREE: dict[str, Any] = {"attribute": "CongestionHCAAlgoConfig", "scope": None, "algorithm": [1, 1, 0], "held": {}}
ENABLED: dict[str, Any] = FREE | {"scope": 512, "algorithm": [2, 1, 3]}
MAPPING: dict[str, Any] = {"attribute": "CongestionSLMappingSettings", "scope": None, "algorithm": None, "held": {}}


@pytest.mark.parametrize(
    ("items", "on", "told"),
    [
        ([RP, FREE, ENABLED], True, "NVIDIA's attributes: on, PPCC 2 1.3"),
        ([RP, FREE], False, "NVIDIA's attributes: off, rpg_ai_rate 5"),
        ([MAPPING, MAPPING], True, "NVIDIA's attributes: on, 2 values"),
    ],
)
def test_nvidias_attributes(items: list[dict[str, Any]], on: bool, told: str) -> None:
    assert list(told_found({"items": [], "nvidia": {"on": on, "items": items}})) == [told]


@pytest.mark.parametrize("row", [{"items": []}, {"items": [], "nvidia": None}])
def test_where_they_were_not_read(row: dict[str, Any]) -> None:
    assert list(told_found(row)) == []
