# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""HPCC's messages between H1 and H4 as closed loops, beside scenario 1's contributors, who are active from the start."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from experiments._common.runs import Run
from tuner.document_base.model import build_model
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement

SMALL_BYTES, LARGE_BYTES = 8, 2_000_000
"""HPCC's messages for latency and for bandwidth."""
CONTRIBUTORS: Mapping[str, str] = {"F2": "H2", "F3": "H3", "F4": "H6", "F5": "H7"}
DURATION_S: Mapping[int, float] = {SMALL_BYTES: 0.5, LARGE_BYTES: 2.5}
WARMUP_S = 0.3
"""CC settles in this time."""


@dataclass(frozen=True, kw_only=True)
class Network:
    """One column of Table III, or a variant of one."""

    contributors: Sequence[str] = tuple(CONTRIBUTORS)
    profile: str = "off"
    mtu_bytes: int = 2048
    model: Mapping[str, Any] | None = None


def ping_pong(bytes_: int, think_us: float) -> list[dict[str, Any]]:
    """One message back and forth between H1 and H4. `think_us`: for both directions together."""
    loop = {"kind": "ping-pong", "name": "loop", "sources": ["H1"], "destinations": ["H4"]}
    return [{**loop, "message_bytes": bytes_, "think_us": think_us}]


def ring(bytes_: int, think_us: float, *, neighbours: int) -> list[dict[str, Any]]:
    """Four processes, two a host, that exchange messages with both neighbours in a ring, of whom `neighbours` (1 or 2) are on the
    other host. The network carries as many messages each way as `neighbours` rings of H1 and H4. Messages within a host are part
    of `think_us`."""
    loop = {"kind": "ring-exchange", "hosts": ["H1", "H4"], "message_bytes": bytes_, "think_us": think_us}
    return [{**loop, "name": f"loop-{i + 1}"} for i in range(neighbours)]


def run(network: Network, patterns: Sequence[Mapping[str, Any]], *, seed: int = 1, quick: bool = False) -> Run:
    bytes_ = patterns[0]["message_bytes"]
    duration_s = WARMUP_S + (DURATION_S[bytes_] - WARMUP_S) * (0.5 if quick else 1)
    workload = build_model(
        Workload,
        {
            "ibcc_workload": 1,
            "name": "hpcc",
            "fabric": "two-switch",
            "duration_s": round(duration_s, 2),
            "warmup_s": WARMUP_S,
            "flows": [
                {"name": name, "src": CONTRIBUTORS[name], "dst": "H5", "role": "contributor"} for name in network.contributors
            ],
            "patterns": list(patterns),
        },
    )
    return Run(workload=workload, profile=network.profile, model=network.model or {}, seed=seed)


def round_us(measurement: Measurement) -> float:
    """Time of one round of the loops, from their number: where one direction is slower, rounds of the two overlap."""
    window_s = measurement.duration_s - WARMUP_S
    rows = measurement.counters["round_trips"]
    return window_s * 1e6 * float(sum(row["flows"] for row in rows)) / float(sum(row["count"] for row in rows))
