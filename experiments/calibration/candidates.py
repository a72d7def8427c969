# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The sets of free parameters that are tried: what interacts most as a grid, everything else one at a time."""

from collections.abc import Mapping
from itertools import product
from typing import TypeAlias

PACKET_BYTES = 2112
"""The room of a packet of 2048 bytes in credit blocks: 33 of 64 bytes."""

ModelSettings: TypeAlias = Mapping[str, object]

CARRIERS: Mapping[str, ModelSettings] = {
    "CNP": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 0},
    "CNP 10 us": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 10_000},
    "CNP 20 us": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 20_000},
    "CNP 40 us": {"ca.becn_carrier": "cnp", "ca.cnp_spacing_ns": 40_000},
    "ACK 16": {"ca.becn_carrier": "ack", "ca.ack_every_packets": 16},
    "ACK 28": {"ca.becn_carrier": "ack", "ca.ack_every_packets": 28},
}
HYSTERESES_PACKETS = (0, 2, 4, 8)
FROZEN = "CNP 20 us, distance 8"
"""The candidate that the simulator's defaults are."""


def packets(count: float) -> int:
    return round(count * PACKET_BYTES)


def carriers_and_hystereses() -> Mapping[str, ModelSettings]:
    """Stage 1: what decides throughput and fairness together. Distances between the thresholds in packets; 8 is down to empty."""
    return {
        f"{name}, distance {distance}": {**carrier, "switch.hysteresis_bytes": packets(distance)}
        for (name, carrier), distance in product(CARRIERS.items(), HYSTERESES_PACKETS)
    }


def one_at_a_time() -> Mapping[str, ModelSettings]:
    """Stage 2: everything else, around the frozen values. A fill level is what Threshold 15 stands for, in packets."""
    frozen = carriers_and_hystereses()[FROZEN]

    def level(count: float) -> ModelSettings:
        return {"switch.threshold_reference_bytes": float(16 * packets(count))}

    changes: Mapping[str, ModelSettings] = {
        "fill level 2, distance 2": {**level(2), "switch.hysteresis_bytes": packets(2)},
        "fill level 4, distance 4": {**level(4), "switch.hysteresis_bytes": packets(4)},
        "fill level 16": level(16),
        "fill level 16, distance 16": {**level(16), "switch.hysteresis_bytes": packets(16)},
        "fill level 32": level(32),
        "input buffer 32 packets, Threshold 15 at 1/16 (2)": {"switch.input_buffer_bytes": packets(32)},
        "input buffer 32 packets, fill level 8": {"switch.input_buffer_bytes": packets(32), **level(8)},
        "input buffer 64 packets, fill level 8": {"switch.input_buffer_bytes": packets(64), **level(8)},
        "input buffer 512 packets, fill level 8": {"switch.input_buffer_bytes": packets(512), **level(8)},
        "threshold_mode voq": {"switch.threshold_mode": "voq"},
        "threshold_mode contributing": {"switch.threshold_mode": "contributing"},
        "root_test marking": {"switch.root_test": "marking"},
        "root_test both": {"switch.root_test": "both"},
        "read_ports 1": {"switch.read_ports": 1},
        "read_ports 2": {"switch.read_ports": 2},
        "becn_delay 0": {"ca.becn_delay_ns": 0.0},
        "becn_delay 5 us": {"ca.becn_delay_ns": 5_000.0},
        "becn_delay 20 us": {"ca.becn_delay_ns": 20_000.0},
        "ccti_timer flow": {"ca.ccti_timer": "flow"},
    }
    return {name: {**frozen, **change} for name, change in changes.items()}


def notes_on_small_buffers() -> Mapping[str, ModelSettings]:
    """Stage 3: do small input buffers favour flows that share an input? With 32 packets, Threshold 15 stands for 2 of them."""
    return {
        f"input buffer {buffer}, fill level {buffer // 16}, {carrier}, distance {distance}": {
            "switch.input_buffer_bytes": packets(buffer),
            "switch.hysteresis_bytes": packets(distance),
            **CARRIERS[carrier],
        }
        for buffer, carrier, distance in product((32,), ("CNP", "CNP 20 us", "ACK 28"), (0, 1, 2))
    }
