# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Devices with NVIDIA's attributes of the congestion-control class, asked by programs. Bytes come from a second encoder."""

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Any

import pytest

from tests.ccsim import nvidia_layouts as layouts
from tests.emulator.conftest import Bed, Emulate
from tests.emulator.congestion_mads import DELIVERED_BYTES, ROOT, Answer, Ask, answers
from tests.emulator.test_diagnostics import lids
from tuner.documents.congestion_control import Algorithm, CongestionControlRow
from tuner.documents.fabric import load_fabric
from tuner.emulator.client import ControlClient
from tuner.emulator.server import ControlServer
from tuner.fabric.importers.base import import_fabric
from tuner.mads.request import SET

UNSUPPORTED, INVALID = 0x0C, 0x1C
ENHANCED, GENERAL, PROFILES, MAPPING = 0xFF00, 0xFF08, 0xFF09, 0xFF10
HCA_GENERAL, RP, NP, ALGO, PARAMS = 0xFF20, 0xFF21, 0xFF22, 0xFF24, 0xFF25

ROWS = (
    CongestionControlRow(dialect="nvidia-dcqcn"),
    CongestionControlRow(nodes=("S2", "H4"), dialect="a10"),
    CongestionControlRow(nodes=("H5",), dialect="both"),
    CongestionControlRow(
        nodes=("H6",), dialect="nvidia-ppcc", algorithms=(Algorithm(algo_id=1), Algorithm(algo_id=9, parameters=(5, 6)))
    ),
    CongestionControlRow(nodes=("H7",), dialect="none"),
)


@pytest.fixture
def mixed(emulate: Emulate) -> Iterator[tuple[Bed, dict[str, int]]]:
    bed = emulate(load_fabric("two-switch").model_copy(update={"congestion_control": ROWS}))
    with bed.clients.opensm({"sweep_interval": 0}):
        yield bed, lids(bed.clients)


def held(bed: Bed, node: str) -> dict[str, Any]:
    (device,) = (device for device in bed.emulated.emulator.tables() if device["name"] == node)
    return device


def rp_values(draw: random.Random) -> dict[str, int]:
    line_rate = 16_000  # of 4xDDR
    return {
        "clamp_tgt_rate": draw.randrange(2),
        "clamp_tgt_rate_after_time_inc": draw.randrange(2),
        "rpg_time_reset": draw.randint(1, 131_071),
        "rpg_byte_reset": draw.randint(0, 32_767),
        "rpg_threshold": draw.randint(1, 31),
        "rpg_max_rate": draw.randint(0, 524_287),
        "rpg_ai_rate": draw.randint(1, line_rate),
        "rpg_hai_rate": draw.randint(1, line_rate),
        "rpg_gd": draw.randint(10, 11),
        "rpg_min_dec_fac": draw.randint(0, 100),
        "rpg_min_rate": draw.randint(1, line_rate),
        "rate_to_set_on_first_cnp": draw.randint(0, line_rate),
        "dce_tcp_g": draw.randint(0, 1023),
        "dce_tcp_rtt": draw.randint(1, 131_071),
        "rate_reduce_monitor_period": draw.randint(0, 2**32 - 1),
        "initial_alpha_value": draw.randint(1, 1023),
    }


def thresholds(draw: random.Random, vl_mask: int) -> dict[str, int]:
    values = {"mode": draw.randrange(2), "granularity": 0, "vl_mask": vl_mask}
    most = 100 if values["mode"] else 1_000_000
    for n in "123":
        values |= {f"profile{n}_min": draw.randint(0, most), f"profile{n}_max": draw.randint(1, most)}
        values[f"profile{n}_percent"] = draw.randint(0, 100)
    return values


def algo(values: Mapping[str, int]) -> bytes:
    unset = dict.fromkeys(("algo_en", "algo_status", "trace_en", "counters_en", "sl_bitmask", "encap_len", "encap_type"), 0)
    return layouts.algo_config({**unset, **values, "encapsulation": bytes(176)})


def test_each_device_of_a_mixed_fabric_knows_its_attributes(mixed: tuple[Bed, dict[str, int]]) -> None:
    bed, lid = mixed
    nodes, ids = ["S1", "S2", "H1", "H4", "H5", "H6", "H7"], [0x0011, 0x0012, ENHANCED, RP, ALGO, GENERAL]
    told = answers(bed, [Ask(lid[node], attribute) for node in nodes for attribute in ids])
    statuses = [answer.status for answer in told]
    assert {node: statuses[i * len(ids) : (i + 1) * len(ids)] for i, node in enumerate(nodes)} == {
        "S1": [UNSUPPORTED, 0, 0, UNSUPPORTED, UNSUPPORTED, 0],
        "S2": [0, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED],
        "H1": [UNSUPPORTED, 0, 0, 0, UNSUPPORTED, UNSUPPORTED],
        "H4": [0, 0, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED, UNSUPPORTED],
        "H5": [0, 0, 0, 0, 0, UNSUPPORTED],
        "H6": [UNSUPPORTED, 0, 0, UNSUPPORTED, 0, UNSUPPORTED],
        "H7": [UNSUPPORTED] * 6,
    }
    info = {"ver0Supported": 0, "ver1Supported": 1, "CC_Capability_Mask": 0x14}
    assert told[nodes.index("H6") * len(ids) + 2].data == layouts.enhanced_info(info)[:DELIVERED_BYTES]
    assert [held(bed, node)["dialect"] for node in nodes] == [
        "nvidia-dcqcn",
        "a10",
        "nvidia-dcqcn",
        "a10",
        "both",
        "nvidia-ppcc",
        "none",
    ]
    assert "congestion info query failed" in bed.clients.run("ibccquery", "CongestionInfo", lid["S1"]).stdout
    assert "CC_Key" in bed.clients.output("ibccquery", "CongestionKeyInfo", lid["S1"])


def test_what_a_set_has_taken_a_get_returns(mixed: tuple[Bed, dict[str, int]]) -> None:
    bed, lid = mixed
    draw = random.Random(25)
    sets: list[Ask] = []
    for _ in range(20):
        sets.append(Ask(lid["H1"], RP, data=layouts.hca_rp(rp_values(draw)), method=SET))
        np = {name: draw.randrange(2) for name in ("cnp_sl_mode", "rtt_sl_mode")}
        np |= {"min_time_between_cnps": draw.randint(0, 4095), "rtt_resp_sl": draw.randrange(16), "cnp_sl": draw.randrange(16)}
        sets.append(Ask(lid["H1"], NP, data=layouts.hca_np(np), method=SET))
        mapping = {"sl_profile": [draw.randint(1, 3) for _ in range(16)]}
        sets.append(Ask(lid["S1"], MAPPING, draw.randint(1, 36), layouts.sl_mapping(mapping), SET))
        vl = draw.randrange(16)
        sets.append(Ask(lid["S1"], PROFILES, draw.randint(1, 36), layouts.port_profile(thresholds(draw, 1 << vl)), SET))
    pairs = [ask for one in sets for ask in (one, replace(one, method=1, data=one.data if one.attribute == PROFILES else b""))]
    told = answers(bed, pairs)
    for ask, taken, shown in zip(sets, told[::2], told[1::2], strict=True):
        assert taken == shown == Answer(0, ask.data[:DELIVERED_BYTES]), ask


def test_held_tables_are_what_was_set(mixed: tuple[Bed, dict[str, int]]) -> None:
    bed, lid = mixed
    marked = thresholds(random.Random(1), 0b101)
    general = {"en": 1, "aqs_weight": 3, "aqs_time": 5, "cap_total_buffer_size": 0, "cap_cc_profile_step_size": 0}
    rp = rp_values(random.Random(2))
    told = answers(
        bed,
        [
            Ask(lid["S1"], GENERAL, 0, layouts.switch_general(general), SET),
            Ask(lid["S1"], PROFILES, 4, layouts.port_profile(marked), SET),
            Ask(lid["H1"], HCA_GENERAL, 0, layouts.hca_general({"en_notify": 1, "en_react": 1, "en_cc_per_plane": 0}), SET),
            Ask(lid["H1"], RP, 0, layouts.hca_rp(rp), SET),
            Ask(lid["H6"], ALGO, 1, algo({"algo_en": 1, "sl_bitmask": 0x3}), SET),
            Ask(lid["H6"], ALGO, 0, algo({"encap_type": 2})),
            Ask(lid["H6"], PARAMS, 1),
        ],
    )
    assert [answer.status for answer in told] == [0] * 7
    switch = held(bed, "S1")["congestion"]["nvidia"]
    assert switch["general"] == {"en": 1, "aqs_weight": 3, "aqs_time": 5}
    assert switch["ports"][4]["profiles"] == [marked]
    assert switch["ports"][5]["profiles"] == []
    assert told[0].data[4:8] == (270_336 * 36).to_bytes(4, "big"), "the model's buffers of all ports"
    adapter = held(bed, "H1")["congestion"][1]["nvidia"]
    assert (adapter["type"], adapter["rp"]) == ("dcqcn", rp)
    other = held(bed, "H6")["congestion"][1]["nvidia"]
    assert other["ppcc"] == [{"algo_id": 9, "major": 1, "minor": 0, "sls": [0, 1], "parameters": {0: 5, 1: 6}}]
    assert told[5].data[16:24] == bytes([0, 1, 1, 0, 0, 9, 1, 0]), "the list of algorithms"
    assert told[6].data[4:24] == bytes([0, 3, 8, 2, *bytes(8), 0, 0, 0, 5, 0, 0, 0, 6])
    assert "nvidia" not in held(bed, "S2")["congestion"]
    bed.emulated.emulator.reboot(held(bed, "H1")["node"])
    assert held(bed, "H1")["congestion"][1]["nvidia"]["rp"]["rpg_time_reset"] == 300


def test_devices_differ_by_firmware(emulate: Emulate) -> None:
    rows = (
        CongestionControlRow(dialect="nvidia-dcqcn", out_of_range="clip", capability_mask=0x2),
        CongestionControlRow(nodes=("S2",), vl_reading="modifier", out_of_range="refuse"),
        CongestionControlRow(nodes=("H3",), dialect="a10", quirk="echo"),
        CongestionControlRow(nodes=("H4",), quirk="silent"),
    )
    bed = emulate(load_fabric("two-switch").model_copy(update={"congestion_control": rows}))
    with bed.clients.opensm({"sweep_interval": 0}):
        lid = lids(bed.clients)
    too_much = rp_values(random.Random(3)) | {"rpg_min_dec_fac": 101}
    marked = layouts.port_profile(thresholds(random.Random(4), 1 << 3))
    told = answers(
        bed,
        [
            Ask(lid["H1"], ENHANCED),
            Ask(lid["H1"], RP, 0, layouts.hca_rp(too_much), SET),
            Ask(lid["S2"], PROFILES, 3 << 16 | 1, marked, SET),
            Ask(lid["S2"], PROFILES, 3 << 16 | 1),
            Ask(lid["S1"], PROFILES, 3 << 16 | 1),
            Ask(lid["H3"], RP, 5, b"hello"),
            Ask(lid["H4"], ENHANCED),
        ],
    )
    assert [answer.status for answer in told] == [0, 0, 0, 0, INVALID, 0, None]
    assert told[0].data[15] == 2
    assert told[1].data == layouts.hca_rp(too_much | {"rpg_min_dec_fac": 100})[:DELIVERED_BYTES]
    assert told[2].data == told[3].data == marked[:DELIVERED_BYTES]
    assert told[5].data.rstrip(b"\0") == b"hello"
    with ControlServer(bed.emulated), ControlClient(bed.emulated.name) as client:
        (row,) = client.mads(clear=True)["unknown_modifiers"]
        assert (row["node"], row["method"], row["attribute"]) == ("S1", "Get", "CongestionPortProfileSettings")
        assert (row["modifier"], row["count"]) == ("0x00030001", 1)
        assert client.mads()["unknown_modifiers"] == []


def test_a_wrong_key_is_not_answered_and_counted(mixed: tuple[Bed, dict[str, int]]) -> None:
    bed, lid = mixed
    key_info = (7).to_bytes(8, "big") + bytes([0x80, 0, 0, 0, 0, 0])
    told = answers(
        bed,
        [
            Ask(lid["H1"], 0x0012, data=key_info, method=SET),
            Ask(lid["H1"], NP, key=8),
            Ask(lid["H1"], NP, key=7),
            Ask(lid["H1"], 0x0012, key=7),
        ],
    )
    assert [answer.status for answer in told] == [0, None, 0, 0]
    assert told[3].data[:8] == key_info[:8]


def test_an_imported_fabric_with_odd_names(emulate: Emulate) -> None:
    fabric = (
        import_fabric(ROOT / "experiments/ten_fabrics/odd-names.ibnetdiscover", mtu_bytes=2048)
        .with_congestion_control("nvidia-dcqcn")
        .fabric
    )
    names = [host.name for host in fabric.hosts]
    (twice,) = {name for name in names if names.count(name) > 1}
    first = len(fabric.switches) + names.index(twice)
    rows = (*fabric.congestion_control, CongestionControlRow(nodes=(f"guid:{fabric.guid_of(first):#018x}",), dialect="none"))
    bed = emulate(fabric.model_copy(update={"congestion_control": rows}))
    with bed.clients.opensm({"sweep_interval": 0}):
        devices = [device for device in bed.emulated.emulator.tables() if device["name"] == twice]
    told = answers(bed, [Ask(device["ports"][1]["lid"], ENHANCED) for device in devices])
    assert [device["dialect"] for device in devices] == ["none", *["nvidia-dcqcn"] * (len(devices) - 1)]
    assert [answer.status for answer in told] == [UNSUPPORTED, *[0] * (len(devices) - 1)]
