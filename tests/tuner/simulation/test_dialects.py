# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile of annex A10 on devices that take other attributes is told of, and not more often than that."""

import pytest

from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.profile import load_profile
from tuner.fabric.built_fabric import build
from tuner.simulation.dialects import without_effect


def on(dialects: object) -> FabricDocument:
    return FabricDocument.model_validate(
        load_fabric("two-switch").model_dump(exclude_unset=True) | {"congestion_control": dialects}
    )


@pytest.mark.parametrize(
    ("dialects", "profile", "told"),
    [
        ("nvidia-dcqcn", "gran-2010", 1),
        ("none", "gran-2010", 1),
        ("both", "gran-2010", 0),
        ("a10", "gran-2010", 0),
        ([{"dialect": "nvidia-dcqcn"}, {"nodes": ["H3"], "dialect": "a10"}], "gran-2010", 0),
        ("nvidia-dcqcn", "off", 0),
    ],
)
def test_sections_that_no_device_takes(dialects: object, profile: str, told: int) -> None:
    sentences = list(without_effect(load_profile(profile), build(on(dialects))))
    assert len(sentences) == told
    for sentence in sentences:
        assert "profile 'gran-2010': no device of fabric 'two-switch' has annex A10's congestion control" in sentence
        assert "switch, ca, cct have no effect" in sentence
