# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A space sets what devices of the fabric have."""

import pytest

from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.parameter import Parameter
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.search.dialects import check_base, check_dialects
from tuner.search.space import Space

MIN, AI = "nvidia.switch.thresholds.0.profile1_min", "nvidia.adapter.rp.rpg_ai_rate"
SPACE = Space({MIN: Parameter(low=1, high=2), AI: Parameter(low=1, high=2)}, load_profile("hpcc-dcqcn"))


def fabric(*rows: CongestionControlRow) -> FabricDocument:
    return load_fabric("two-switch").model_copy(update={"congestion_control": rows})


@pytest.mark.parametrize(
    ("path", "rows", "told"),
    [
        (MIN, [], "sets what no switch of fabric 'two-switch' has: its switches are of dialect a10, and the field needs both or"),
        (AI, [CongestionControlRow(dialect="nvidia-ppcc")], "its adapters are of dialect nvidia-ppcc"),
        (AI, [CongestionControlRow(dialect="nvidia-dcqcn")], ""),
        (AI, [CongestionControlRow(nodes=("H2",), dialect="nvidia-dcqcn")], ""),
        (MIN, [CongestionControlRow(nodes=("H2",), dialect="nvidia-dcqcn")], "sets what no switch"),
        ("ca.ccti_timer", [CongestionControlRow(dialect="nvidia-dcqcn")], "sets what no adapter"),
        ("ca.ccti_timer", [CongestionControlRow(dialect="both")], ""),
        ("overrides[leaf].switch.threshold", [CongestionControlRow(dialect="nvidia-dcqcn")], "sets what no switch"),
        ("overrides[leaf].nvidia.switch.aqs_time", [CongestionControlRow(dialect="nvidia-dcqcn")], ""),
        ("model.ca.becn_delay_ns", [CongestionControlRow(dialect="none")], ""),
    ],
)
def test_a_field_that_no_device_has_is_told(path: str, rows: list[CongestionControlRow], told: str) -> None:
    if not told:
        check_dialects(SPACE, path, fabric(*rows))
        return
    with pytest.raises(BadInputError, match=told):
        check_dialects(SPACE, path, fabric(*rows))


def test_a_base_without_the_section_is_told() -> None:
    check_base(SPACE, MIN)
    with pytest.raises(BadInputError, match="base profile 'gran-2010' has none; take a base that has it, such as hpcc-dcqcn"):
        check_base(Space({MIN: Parameter(low=1, high=2)}, load_profile("gran-2010")), MIN)
