# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A second encoder of NVIDIA's attributes, written from the layout text with `struct` alone.

The text is the structs and comments of `infiniband/iba/ib_types.h` in NVIDIA's OpenSM 5.24. Each function takes the values of one
attribute by field and returns its 192 bytes. A field is written as the text names it: a byte, its bits counted from 7, the most
significant, down to 0; or a word of 32 bits.
"""

import struct
from collections.abc import Callable, Mapping
from typing import Any

Values = Mapping[str, Any]
SIZE = 192


def _filled(data: bytes) -> bytes:
    return data + bytes(SIZE - len(data))


def enhanced_info(v: Values) -> bytes:
    flags = v["ver0Supported"] * 0b1000_0000 + v["ver1Supported"] * 0b0100_0000
    return _filled(bytes([flags, 0, 0, 0, 0, 0, 0, 0]) + v["CC_Capability_Mask"].to_bytes(8, "big"))


def switch_general(v: Values) -> bytes:
    head = bytes([v["en"], 0, v["aqs_weight"], v["aqs_time"]])
    return _filled(head + struct.pack(">I", v["cap_total_buffer_size"]) + bytes([0, 0, 0, v["cap_cc_profile_step_size"]]))


def port_profile(v: Values) -> bytes:
    data = struct.pack(">BBH", v["mode"] * 128 + v["granularity"] * 64, 0, v["vl_mask"])
    for n in "123":
        data += struct.pack(">I", v[f"profile{n}_min"])
        data += struct.pack(">I", v[f"profile{n}_percent"] * 2**24 + v[f"profile{n}_max"])
    return _filled(data)


def sl_mapping(v: Values) -> bytes:
    word = 0
    for sl, profile in enumerate(v["sl_profile"]):
        word += profile * 4 ** (15 - sl)  # SL 0 in bits 31:30, SL 15 in bits 1:0
    return _filled(struct.pack(">I", word))


def hca_general(v: Values) -> bytes:
    return _filled(bytes([v["en_notify"] * 0x80 + v["en_react"] * 0x40 + v["en_cc_per_plane"] * 0x20]))


def hca_rp(v: Values) -> bytes:
    clamps = bytes([v["clamp_tgt_rate"] * 0x80 + v["clamp_tgt_rate_after_time_inc"] * 0x40, 0, 0, 0])
    words = (
        "rpg_time_reset",
        "rpg_byte_reset",
        "rpg_threshold",
        "rpg_max_rate",
        "rpg_ai_rate",
        "rpg_hai_rate",
        "rpg_gd",
        "rpg_min_dec_fac",
        "rpg_min_rate",
        "rate_to_set_on_first_cnp",
        "dce_tcp_g",
        "dce_tcp_rtt",
        "rate_reduce_monitor_period",
        "initial_alpha_value",
    )
    return _filled(clamps + struct.pack(">14I", *(v[word] for word in words)))


def hca_np(v: Values) -> bytes:
    modes = v["rtt_sl_mode"] * 2 + v["cnp_sl_mode"]
    return _filled(struct.pack(">HHBBBB", 0, v["min_time_between_cnps"], 0, modes, v["rtt_resp_sl"], v["cnp_sl"]))


def _algo_head(v: Values) -> bytes:
    flags = v["algo_en"] << 7 | v["algo_status"] << 6 | v["trace_en"] << 5 | v["counters_en"] << 4
    return struct.pack(">B3xHBB8x", flags, v["sl_bitmask"], v["encap_len"], v["encap_type"])


def algo_config(v: Values) -> bytes:
    return _algo_head(v) + bytes(v["encapsulation"])


def algo_support(v: Values) -> bytes:
    data = _algo_head(v)
    for one in zip(v["algo_id"], v["algo_major_version"], v["algo_minor_version"], strict=True):
        data += struct.pack(">HBB", *one)
    return _filled(data)


def algo_params(v: Values) -> bytes:
    head = struct.pack(">4xHBB8x", v["sl_bitmask"], v["encap_len"], v["encap_type"])
    return head + struct.pack(">44I", *v["parameter"])


LAYOUTS: dict[str, Callable[[Values], bytes]] = {
    "EnhancedCongestionInfo": enhanced_info,
    "CongestionSwitchGeneralSettings": switch_general,
    "CongestionPortProfileSettings": port_profile,
    "CongestionSLMappingSettings": sl_mapping,
    "CongestionHCAGeneralSettings": hca_general,
    "CongestionHCARPParameters": hca_rp,
    "CongestionHCANPParameters": hca_np,
    "CongestionHCAAlgoConfig": algo_config,
    "CongestionHCAAlgoConfig (algorithms)": algo_support,
    "CongestionHCAAlgoConfigParams": algo_params,
}
