# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The section `nvidia` of an adopted profile says what devices hold of NVIDIA's attributes, as far as a profile can."""

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from tuner.errors import BadInputError
from tuner.opensm.adopted_nvidia import adopted_nvidia
from tuner.opensm.adopted_profile import adopted_profile, not_said

Item = dict[str, Any]
ALL_VLS = 0x7FFF
RP = {
    "clamp_tgt_rate": 0,
    "clamp_tgt_rate_after_time_inc": 1,
    "rpg_time_reset": 300,
    "rpg_byte_reset": 32767,
    "rpg_threshold": 1,
    "rpg_max_rate": 0,
    "rpg_ai_rate": 5,
    "rpg_hai_rate": 50,
    "rpg_gd": 11,
    "rpg_min_dec_fac": 50,
    "rpg_min_rate": 1,
    "rate_to_set_on_first_cnp": 0,
    "dce_tcp_g": 1019,
    "dce_tcp_rtt": 1,
    "rate_reduce_monitor_period": 4,
    "initial_alpha_value": 1023,
}
NP = {"min_time_between_cnps": 4, "rtt_sl_mode": 0, "cnp_sl_mode": 0, "rtt_resp_sl": 0, "cnp_sl": 0}


def item(
    attribute: str, held: Mapping[str, Any], *, block: int = 0, scope: int | None = None, algorithm: list[int] | None = None
) -> Item:
    return {"attribute": attribute, "block": block, "scope": scope, "algorithm": algorithm, "held": held}


def thresholds(port: int, vls: int, values: Mapping[str, int], *, block_vl: int = 0) -> Item:
    zeros = {f"profile{number}_{what}": 0 for number in (1, 2, 3) for what in ("min", "max", "percent")}
    held = {"mode": 0, "granularity": 0, "vl_mask": vls, **zeros, **values}
    return item("CongestionPortProfileSettings", held, block=block_vl << 16 | port, scope=vls)


def mapping(port: int, *numbers: int) -> Item:
    return item("CongestionSLMappingSettings", {"sl_profile": list(numbers) * (16 // len(numbers))}, block=port)


def switch(guid: int, ports: Sequence[Item], *, on: bool = True, weight: int = 3) -> dict[str, Any]:
    general = {"en": int(on), "aqs_weight": weight, "aqs_time": 4, "cap_total_buffer_size": 9, "cap_cc_profile_step_size": 1}
    return row(guid, 0, "switch", on, [item("CongestionSwitchGeneralSettings", general), *ports])


def adapter(guid: int, items: Sequence[Item], *, on: bool = True, port: int = 1) -> dict[str, Any]:
    general = {"en_notify": int(on), "en_react": int(on), "en_cc_per_plane": 0}
    return row(guid, port, "ca", on, [item("CongestionHCAGeneralSettings", general), *items])


def dcqcn(**values: int) -> list[Item]:
    rp = item("CongestionHCARPParameters", RP | {key: value for key, value in values.items() if key in RP})
    return [rp, item("CongestionHCANPParameters", NP | {key: value for key, value in values.items() if key in NP})]


def slots(*served: tuple[int, int]) -> list[Item]:
    return [item("CongestionHCAAlgoConfig", {}, block=slot, scope=sls, algorithm=[slot + 1, 1, 0]) for slot, sls in served]


def row(guid: int, port: int, kind: str, on: bool, items: Sequence[Item]) -> dict[str, Any]:
    nvidia = {"at_s": 1, "kept": False, "on": on, "items": items}
    return {"guid": f"0x{guid:016x}", "port": port, "kind": kind, "description": "x", "items": [], "nvidia": nvidia}


PERCENT = {"mode": 1, "profile1_min": 10, "profile1_max": 40, "profile1_percent": 20}
SAID = {"unit": "percent", "profile1_min": 10, "profile1_max": 40, "profile1_percent": 20}


def made(*rows: dict[str, Any]) -> dict[str, Any]:
    document: dict[str, Any] = adopted_profile(rows, "site").to_dict()
    return document


def test_switches_and_adapters_that_hold_the_same_are_one_section() -> None:
    ports = [one for port in (1, 2) for one in (thresholds(port, ALL_VLS, PERCENT), mapping(port, 2))]
    document = made(switch(9, ports), switch(10, ports), adapter(1, dcqcn(rpg_ai_rate=7)), adapter(2, dcqcn(rpg_ai_rate=7)))
    assert document["ibcc_profile"] == 2
    assert "overrides" not in document
    assert "switch" not in document, "no device has annex A10's attributes"
    found = document["nvidia"]["switch"]
    assert (found["enable"], found["aqs_time"], found["aqs_weight"], found["sl_profile"]) == (True, 4, 3, 2)
    (element,) = found["thresholds"]
    assert element["vls"] == "all"
    assert {key: element[key] for key in SAID} == SAID
    assert document["nvidia"]["adapter"]["type"] == "dcqcn"
    assert document["nvidia"]["adapter"]["rp"]["rpg_ai_rate"] == 7
    assert document["nvidia"]["adapter"]["np"]["min_time_between_cnps"] == 4


def test_ports_and_devices_that_differ_have_overrides() -> None:
    common = [thresholds(port, ALL_VLS, PERCENT) for port in (1, 2, 3)]
    other = [common[0], common[1], thresholds(3, 6, PERCENT), thresholds(3, ALL_VLS & ~6, {}), mapping(3, 1, 3)]
    rows = switch(9, common), switch(10, common), switch(11, other), switch(12, common, on=False)
    section, overrides = adopted_nvidia((*rows, adapter(1, dcqcn()), adapter(2, dcqcn()), adapter(3, dcqcn(rpg_gd=2, cnp_sl=3))))
    assert section is not None
    assert {one["match"]["guid"]: one["nvidia"] for one in overrides if "ports" not in one["match"]} == {
        "0x000000000000000c": {"switch": {"enable": False}},
        "0x0000000000000003": {"adapter": {"rp": {"rpg_gd": 2}, "np": {"cnp_sl": 3}}},
    }
    (ports,) = [one for one in overrides if "ports" in one["match"]]
    assert ports["match"] == {"guid": "0x000000000000000b", "ports": [3]}
    assert ports["nvidia"]["switch"]["sl_profile"] == [1, 3] * 8
    assert [element["vls"] for element in ports["nvidia"]["switch"]["thresholds"]] == [[1, 2]]
    assert adopted_profile((*rows, adapter(1, dcqcn())), "site").to_dict()["overrides"]


def test_vls_that_are_read_one_by_one_become_one_element() -> None:
    each = [thresholds(1, 1 << vl, PERCENT, block_vl=vl) for vl in range(4)]
    section, _ = adopted_nvidia([switch(9, each)])
    assert section is not None
    assert section["switch"]["thresholds"] == [
        {"vls": "all", **SAID, **{f"profile{n}_{w}": 0 for n in (2, 3) for w in ("min", "max", "percent")}}
    ]


def test_algorithms_of_the_firmware_and_their_sls() -> None:
    served = slots((0, 0), (1, 0b1001), (2, 0xFFF6))
    document = made(adapter(1, [*dcqcn(cnp_sl=5), *served]), adapter(2, slots((0, 0xFFFF))), adapter(3, slots((0, 0xFFFF))))
    assert document["nvidia"]["adapter"]["ppcc"] == [{"algo_id": 1, "major": 1, "minor": 0, "sls": "all"}]
    (override,) = document["overrides"]
    adapter_values = override["nvidia"]["adapter"]
    assert [(slot["algo_id"], slot["sls"]) for slot in adapter_values["ppcc"]] == [
        (2, [0, 3]),
        (3, [1, 2, *range(4, 16)]),
    ]
    assert adapter_values["np"]["cnp_sl"] == 5
    assert "rp" not in adapter_values, "which an algorithm does not read"


def test_what_no_profile_can_say_is_left_out() -> None:
    ports = [thresholds(1, ALL_VLS, {"profile1_min": 9, "profile1_max": 3, "profile2_max": 7}), mapping(1, 0)]
    document = made(switch(9, ports), adapter(1, dcqcn(rpg_time_reset=0)))
    (element,) = document["nvidia"]["switch"]["thresholds"]
    assert (element["profile1_max"], element["profile2_max"]) == (0, 7)
    assert document["nvidia"]["adapter"]["rp"]["rpg_time_reset"] == 300, "the default: a plan finds the adapter"


def test_a_switch_that_marks_nothing_has_thresholds_all_the_same() -> None:
    document = made(switch(9, [thresholds(1, ALL_VLS, {})]))
    (element,) = document["nvidia"]["switch"]["thresholds"]
    assert element["profile1_max"] == 0


def test_devices_that_are_off_need_no_section() -> None:
    rows = switch(9, [], on=False), adapter(1, dcqcn(), on=False), {**adapter(2, []), "nvidia": None}
    assert adopted_nvidia(rows) == (None, [])
    with pytest.raises(BadInputError, match="none that is on by NVIDIA's"):
        adopted_profile(rows, "site")


def test_who_is_not_said_has_port_and_vls_in_the_sentence() -> None:
    difference = {
        "attribute": "CongestionPortProfileSettings",
        "block": 5 | 1 << 16,
        "scope": 2,
        "field": "profile1_max",
        "index": None,
        "wanted": 3,
        "held": 40,
    }
    change = {"guid": "0x1", "port": 0, "description": "S1", "attributes": [], "sets": 1, "differences": [difference]}
    (one,) = not_said({"changes": [change]})
    assert one.sentence == (
        "S1 (0x1) holds: profile1_max of CongestionPortProfileSettings of port 5, VL 1 is 40, and the profile says 3"
    )
