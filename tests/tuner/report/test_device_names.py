# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Models of devices have names that say what a device does."""

from collections.abc import Mapping
from typing import Any

import pytest

import ccsim
from tuner.campaign.shipped import shipped_campaigns
from tuner.documents.campaign import load_campaign
from tuner.report.device_names import devices_name, own_name


@pytest.mark.parametrize(
    ("settings", "name"),
    [
        ({"model.ca.becn_carrier": "ack"}, "adapters that send BECNs on acknowledgements"),
        ({"ca.becn_carrier": "cnp"}, "adapters that send CNPs"),
        ({"model.ca.cnp_spacing_ns": 1600}, "adapters that send CNPs at least 1.6 µs apart"),
        (
            {"model.switch.mark_above_max": "percent", "model.ca.cnp_limit": "port"},
            "switches that mark the share percent above max and adapters that space CNPs for the whole port",
        ),
        ({"model.num_vls": 4}, "devices that have num_vls 4"),
        ({}, "simulated devices as they are by default"),
    ],
)
def test_names(settings: Mapping[str, Any], name: str) -> None:
    assert devices_name(settings) == name


def test_own_devices_are_named_by_what_the_variants_vary() -> None:
    variants = {"acks": {"model.ca.becn_carrier": "ack"}, "flows": {"model.ca.ccti_timer": "flow"}}
    assert own_name({}, variants) == "adapters that send CNPs and have one CCTI_Timer for each port and SL"
    assert own_name({"ca.becn_carrier": "ack"}, {"cnps": {"model.ca.becn_carrier": "cnp"}}) == (
        "adapters that send BECNs on acknowledgements"
    )


def test_each_choice_that_a_shipped_campaign_varies_has_words() -> None:
    choices = {one["name"] for one in ccsim.model_parameters() if one.get("choices")}
    for name in shipped_campaigns():
        campaign, _ = load_campaign(name)
        for settings in campaign.variants.values():
            for path, setting in settings.items():
                if path.removeprefix("model.") in choices:
                    assert "devices that have" not in devices_name({path: setting}), path
