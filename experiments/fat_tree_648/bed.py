# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paper IV's fabric, the devices that stand for its simulator's, and the traffic."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from types import MappingProxyType
from typing import Any

from experiments._common.fabric_files import fabric_files
from experiments._common.runs import Run
from tuner.document_base.model import build_model
from tuner.documents.workload import Workload
from tuner.fabric.topologies.base import generate

RADIX = 36
"""Ports of each of the 54 crossbars; 36 * 36 / 2 = 648 hosts."""
INJECT_GBPS = 13.5
RECEIVE_GBPS = 13.6
PROFILE = "gran-2012"
CONTRIBUTORS = 65
"""C nodes to each hotspot of the silent forest: 518 by 8. The CCT of all forests is made for as many."""
DURATION_S = 0.1
"""The time slot of Paper IV, section V-C, in which hotspots move or stay."""
INTERVAL_S = 0.0005

PACKET_BYTES = 2112
"""The room of a packet of the MTU in credit blocks: 33 of 64 bytes."""
BUFFER_PACKETS = 6
"""Input buffer of each port and VL, for which CC off comes closest to Table II's total; README.md has the others."""
LEVEL_PACKETS = 2
"""Packets that Threshold 15 stands for. They must lie within one input buffer, or a root that one input feeds never marks."""

_FOUR_AT_79 = 15.8 * 4 / 13.3 - 1  # Packet times that each of the four contributors of gran-2010 pauses at its fair share.


def cct_for(contributors: int) -> Mapping[str, object]:
    """gran-2010's curve, made longer so that this many contributors to a hotspot meet their fair share at the index at which the
    four of 2010 met theirs: n flows share R Gb/s when each pauses for 15.8 n / R - 1 packet times, as a host sends 15.8 Gb/s
    unthrottled. Settings of the profile, for which 65 gives 139 us, and 647, all others in the fabric, gran-2012's 1,400."""
    longer = (15.8 * contributors / RECEIVE_GBPS - 1) / _FOUR_AT_79
    return {"cct.curve.full_scale_us": round(7 * longer)}


SETTINGS: Mapping[str, object] = MappingProxyType(dict(cct_for(CONTRIBUTORS)))
"""Changes to gran-2012 with which all forests are measured."""


def devices(
    *, buffer_packets: int = BUFFER_PACKETS, level_packets: float = LEVEL_PACKETS, own_vl: bool = True, **more: object
) -> dict[str, Any]:
    """Settings of the simulated devices, by dotted key. `own_vl`: ACKs and CNPs do not share data's VL. `more`: further ones,
    `ca__cnp_spacing_ns=0` say. All others stay at the frozen defaults."""
    settings: dict[str, Any] = {
        "switch.input_buffer_bytes": buffer_packets * PACKET_BYTES,
        "switch.threshold_reference_bytes": round(level_packets * PACKET_BYTES * 16),
    }
    if own_vl:
        settings |= {"num_vls": 2, "ca.control_vl": "last"}
    return settings | {key.replace("__", "."): value for key, value in more.items()}


@contextmanager
def fabric(radix: int = RADIX) -> Iterator[str]:
    """The path of the fabric's document, which lives as long as the context."""
    document = generate(
        "three-stage", radix=radix, mtu_bytes=2048, host_rate="4xDDR", inject_gbps=INJECT_GBPS, receive_gbps=RECEIVE_GBPS
    )
    with fabric_files({radix: document}) as paths:
        yield paths[radix]


def forest(fabric_path: str, *, seed: int, duration_s: float = DURATION_S, **pattern: object) -> Workload:
    """Traffic of section III, from time 0 on and judged over the whole run. `seed` draws who is what and where the hotspots are;
    `pattern`: keys of the pattern `hotspots`, whose defaults are the silent forest's 80 % C nodes and 8 hotspots."""
    return build_model(
        Workload,
        {
            "ibcc_workload": 1,
            "name": "forest",
            "fabric": fabric_path,
            "duration_s": duration_s,
            "sample_interval_s": INTERVAL_S,
            "patterns": [{"kind": "hotspots", "name": "forest", "seed": seed, **pattern}],
        },
    )


def run(workload: Workload, *, cc: bool, seed: int, model: Mapping[str, Any], settings: Mapping[str, object] = SETTINGS) -> Run:
    """`settings`: changes to gran-2012, by dotted key; without CC they mean nothing."""
    return Run(
        workload=workload, profile=PROFILE if cc else "off", profile_settings=settings if cc else {}, model=model, seed=seed
    )
