# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile of what devices hold says for each device what it holds, as far as a profile can."""

from typing import Any

import pytest

from ccsim.policy import Profile
from tuner.documents.fabric import load_fabric
from tuner.documents.profile import load_profile
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.opensm.adopted_profile import NotSaid, adopted_profile, not_said

NO_DELAY = {"shift": 0, "multiplier": 0}
BUILT = build(load_fabric("two-switch"))


def mask(ports: list[int]) -> str:
    return f"0x{sum(1 << port for port in ports):064x}"


def found(profile: Profile) -> list[dict[str, Any]]:
    """Rows as the plugin has them of devices that hold a profile."""
    fabric, tables, rows = BUILT.fabric, profile.resolve(BUILT.fabric), []
    for switch in tables.switches:
        setting, ports = switch["setting"], switch["ports"]
        values = {
            "Control_Map": 0x1F,
            "Victim_Mask": mask(setting["victim_mask"]),
            "Credit_Mask": mask(setting["credit_mask"]),
            "Threshold": setting["threshold"],
            "Packet_Size": setting["packet_size"],
            "CS_Threshold": setting["cs_threshold"],
            "CS_ReturnDelay_Shift": setting["cs_return_delay"][0],
            "CS_ReturnDelay_Multiplier": setting["cs_return_delay"][1],
            "Marking_Rate": setting["marking_rate"],
        }
        own = [ports.get(port) for port in range(32)]
        elements = {
            "Valid": [int(one is not None) for one in own],
            "Control_Type": [0] * 32,
            "Threshold": [0 if one is None else one["threshold"] for one in own],
            "Packet_Size": [0 if one is None else one["packet_size"] for one in own],
            "Cong_Parm_Marking_Rate": [0 if one is None else one["marking_rate"] for one in own],
        }
        items = [item("SwitchCongestionSetting", 0, values), item("SwitchPortCongestionSetting", 0, elements)]
        rows.append(row(fabric.node_guid(switch["node"]), 0, "switch", items))
    for ca in tables.cas:
        setting, entries = ca["setting"], list(ca["cct"]["entries"])
        values = {"Port_Control": setting["port_control"], "Control_Map": setting["control_map"]}
        for field, key in (
            ("CCTI_Timer", "ccti_timer"),
            ("CCTI_Increase", "ccti_increase"),
            ("Trigger_Threshold", "trigger_threshold"),
            ("CCTI_Min", "ccti_min"),
        ):
            values[field] = [sl[key] for sl in setting["sls"]]
        items = [item("CACongestionSetting", 0, values)]
        for block in range(0, len(entries), 64):
            some = (entries[block : block + 64] + [(0, 0)] * 64)[:64]
            limit = len(entries) - 1
            if ca["cct"]["limit_mode"] == "per_block":
                limit = min(limit, block + 63)
            cct = {"CCTI_Limit": limit, "CCT_Shift": [s for s, _ in some], "CCT_Multiplier": [m for _, m in some]}
            items.append(item("CongestionControlTable", block // 64, cct))
        rows.append(row(fabric.node_guid(ca["node"]), ca["port"], "ca", items))
    return rows


def item(attribute: str, block: int, held: dict[str, Any] | None) -> dict[str, Any]:
    return {"attribute": attribute, "block": block, "has_effect": True, "held": held}


def row(guid: int, port: int, kind: str, items: list[dict[str, Any]]) -> dict[str, Any]:
    return {"guid": f"0x{guid:016x}", "port": port, "kind": kind, "description": "x", "items": items}


def name_of(node: int) -> str:
    return f"0x{BUILT.fabric.node_guid(node):016x}"


PROFILES = [
    load_profile("gran-2010"),
    load_profile("gran-2012"),
    load_profile("gran-2010").with_settings({"cct.limit_mode": "per_block", "ca.level": "sl", "ca.sls": [0, 3]}),
    Profile.from_dict(
        load_profile("gran-2010").to_dict()
        | {
            "overrides": [
                {"match": {"node": "H[1-3]"}, "ca": {"ccti_timer": 9}},
                {"match": {"node": "H2"}, "cct": {"entries": [{"shift": 0, "multiplier": 0}, {"shift": 1, "multiplier": 5}]}},
                {"match": {"role": "switch", "ports": "switch_ports"}, "switch": {"threshold": 3}},
                {"match": {"node": "S2"}, "switch": {"marking_rate": 77, "credit_mask": [1, 2], "cs_threshold": 4}},
            ]
        }
    ),
]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_profile_that_devices_hold_is_found_again(profile: Profile) -> None:
    made = adopted_profile(found(profile), "site").resolve(BUILT.fabric)
    right = profile.resolve(BUILT.fabric)
    assert made.switches == right.switches
    assert made.cas == right.cas


def test_what_most_devices_hold_is_in_the_sections() -> None:
    values = adopted_profile(found(PROFILES[3]), "site").to_dict()
    assert values["ca"]["ccti_timer"] == 150
    assert len([one for one in values["overrides"] if "ca" in one]) == 3


def test_what_no_profile_can_say_comes_near() -> None:
    rows = found(PROFILES[0])
    rows[0]["items"][0]["held"]["Control_Map"] = 3
    rows[2]["items"][0]["held"]["CCTI_Timer"][5] = 99
    made = adopted_profile(rows, "site").resolve(BUILT.fabric)
    assert made.cas == PROFILES[0].resolve(BUILT.fabric).cas


def test_a_device_that_refused_to_tell_and_power_on_values_are_no_obstacle() -> None:
    rows = found(PROFILES[0])
    rows[0]["items"][1]["held"] = None
    rows[1]["items"][0]["held"] = None
    rows[2]["items"] = [item("CACongestionSetting", 0, None)]
    assert adopted_profile(rows, "site").name == "site"
    with pytest.raises(BadInputError, match="no device was found with annex A10's attributes"):
        adopted_profile([row(1, 0, "switch", [])], "site")
    with pytest.raises(BadInputError, match="name"):
        adopted_profile(rows, "")


@pytest.mark.parametrize(
    ("settings", "is_on"),
    [
        ({}, False),
        ({"ca.ccti_timer": 150, "switch.marking_rate": 2}, False),
        ({"switch.threshold": 1}, True),
        ({"switch.cs_threshold": 1}, True),
        ({"ca.ccti_increase": 1, "cct.ccti_limit": 1, "cct.entries": [NO_DELAY, {"shift": 0, "multiplier": 5}]}, True),
    ],
)
def test_where_congestion_control_was_never_on_nothing_is_adopted(settings: dict[str, Any], is_on: bool) -> None:
    zeros = {"ccti_timer": 0, "ccti_increase": 0}
    document = {"ibcc_profile": 1, "name": "zeros", "switch": {"threshold": 0}, "ca": zeros, "cct": {"entries": [NO_DELAY]}}
    profile = Profile.from_dict(document).with_settings(settings)
    if is_on:
        assert adopted_profile(found(profile), "site").name == "site"
        return
    with pytest.raises(BadInputError, match="congestion control is off: no device that was read marks or throttles.*; not asked"):
        adopted_profile(found(profile), "site", "not asked")


def test_who_is_not_said_has_a_sentence() -> None:
    difference = {
        "attribute": "SwitchCongestionSetting",
        "block": 0,
        "scope": None,
        "field": "Control_Map",
        "index": None,
        "wanted": 31,
        "held": 3,
    }
    plan = {
        "changes": [
            {
                "guid": "0x0000000000000001",
                "port": 0,
                "description": "S1",
                "attributes": ["SwitchCongestionSetting"],
                "sets": 1,
                "differences": [difference],
            },
            {"guid": "0x0000000000000002", "port": 1, "description": "H1", "attributes": ["CACongestionSetting"], "sets": 1},
        ]
    }
    first, second = not_said(plan)
    assert isinstance(first, NotSaid)
    assert first.sentence == (
        "S1 (0x0000000000000001) holds: Control_Map of SwitchCongestionSetting is 3, and the profile says 31"
    )
    assert second.sentence == "H1 (0x0000000000000002 port 1) holds: CACongestionSetting"
