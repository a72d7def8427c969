# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Scenario 1 with all flows from the start, messages of any size, and hosts that need a time for each message."""

from collections.abc import Mapping
from dataclasses import dataclass

from experiments._common.runs import Run
from tuner.document_base.model import build_model
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement

SIZES = tuple(64 * 2**i for i in range(15))
"""64 bytes to 1 MiB."""
QUICK_SIZES = (64, 1024, 65536)
USUAL_BYTES = 65536
"""Size of the other experiments of the paper."""
INJECT_GBPS = 13.0
OVERHEADS_US = (0.0, 0.25, 0.5, 1.0, 2.0)
CONGESTION: Mapping[str, str] = {"F2": "H2", "F3": "H3", "F4": "H6", "F5": "H7"}
SETTLED_S = 0.3


@dataclass(frozen=True, kw_only=True)
class Case:
    """One point of Fig. 9 under one reading of it."""

    bytes_: int
    """Messages of the victim."""
    others_bytes: int = USUAL_BYTES
    overhead_us: float = 0.0
    """The victim's host begins a message this long after the one before, at the earliest."""
    congested: bool = True
    profile: str = "off"
    packet_size: int | None = None
    """Packet_Size instead of the profile's, in units of 64 bytes."""

    def rate_gbps(self) -> float:
        """Returns the rate that the victim's host offers."""
        return INJECT_GBPS if not self.overhead_us else min(INJECT_GBPS, self.bytes_ * 8 / (self.overhead_us * 1e3))

    def run(self, *, quick: bool) -> Run:
        victim = {"name": "F1", "src": "H1", "dst": "H4", "role": "victim", "message_bytes": self.bytes_}
        others = [
            {"name": name, "src": source, "dst": "H5", "role": "contributor", "message_bytes": self.others_bytes}
            for name, source in CONGESTION.items()
        ]
        workload = build_model(
            Workload,
            {
                "ibcc_workload": 1,
                "name": "message-sizes",
                "fabric": "two-switch",
                "duration_s": 0.4 if quick else 0.6,
                "warmup_s": SETTLED_S,
                "flows": [victim | {"rate_gbps": self.rate_gbps()}, *(others if self.congested else [])],
            },
        )
        changes = {} if self.packet_size is None else {"switch.packet_size": self.packet_size}
        return Run(workload=workload, profile=self.profile, profile_settings=changes)


def victim_gbps(measurement: Measurement) -> float:
    """F1's mean from SETTLED_S on."""
    return float(measurement.gbps[0, round(SETTLED_S / measurement.interval_s) :].mean())
