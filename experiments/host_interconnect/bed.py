# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The paper's bed: senders on one switch, and a receiver with a host model."""

from dataclasses import dataclass
from typing import Any

from experiments._common.runs import Run
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.workload import Workload
from tuner.measuring.measurement import Measurement

SENDERS = 40
OFFERED_GBPS = 92.0
"""What headers of the paper's protocol leave of 100 Gb/s. InfiniBand's leave 99.4."""
DURATION_S, INTERVAL_S, SETTLED_S = 0.001, 1e-5, 2e-4

LOSSY_LINK_BYTES = 8 << 20
"""Receive buffer that keeps the link from waiting, so that it brings what a lossy one would."""
SWIFT = {"scheme.name": "swift", "scheme.fabric_target_us": 50.0, "scheme.additive_packets": 0.1}
"""The paper says the host's target alone, 100 us, which is the preset."""


@dataclass(frozen=True, kw_only=True)
class Host:
    """A point of a curve."""

    iommu: bool = False
    threads: int = 12
    page_bytes: int = 2 << 20
    region_mib: int = 12
    cores: int = 0
    swift: bool = False
    """Senders react by delay; else by credits alone."""
    duration_s: float = DURATION_S

    def fabric(self) -> FabricDocument:
        model: dict[str, Any] = {
            "preset": "skylake-100g-iommu" if self.iommu else "skylake-100g",
            "threads": self.threads,
            "page_bytes": self.page_bytes,
            "region_bytes": float(self.region_mib << 20),
            "hosts": ["R"],
        }
        if self.swift:
            model["receive_buffer_bytes"] = LOSSY_LINK_BYTES
        names = ["R", *(f"H{i}" for i in range(1, SENDERS + 1))]
        return build_model(
            FabricDocument,
            {
                "ibcc_fabric": 1,
                "name": "host-interconnect",
                "mtu_bytes": 4096,
                "switches": [{"name": "S", "ports": len(names)}],
                "hosts": [{"name": name} for name in names],
                "links": [{"a": f"{name}/1", "b": f"S/{i}", "rate": "4xEDR"} for i, name in enumerate(names, start=1)],
                "host_models": {"receiver": model},
            },
        )

    def run(self, fabric: str) -> Run:
        flows = [
            {
                "name": f"F{i}",
                "src": f"H{i}",
                "dst": "R",
                "message_bytes": 16384,
                "rate_gbps": OFFERED_GBPS / SENDERS,
                "qps": self.threads,
            }
            for i in range(1, SENDERS + 1)
        ]
        loads = [{"hosts": ["R"], "cores": float(self.cores)}] if self.cores else []
        workload = {
            "ibcc_workload": 1,
            "name": "host-interconnect",
            "fabric": fabric,
            "duration_s": self.duration_s,
            "sample_interval_s": INTERVAL_S,
            "warmup_s": SETTLED_S,
            "flows": flows,
            "host_loads": loads,
        }
        return Run(workload=build_model(Workload, workload), fabric=fabric, model=SWIFT if self.swift else {})


def received_gbps(measurement: Measurement) -> float:
    """Payload that the receiver takes, once its buffer is full."""
    first = round(SETTLED_S / INTERVAL_S)
    return float(measurement.gbps[:, first:].sum(axis=0).mean())


def would_have_dropped_bytes(measurement: Measurement) -> float:
    """What an adapter with 1 MB and no credits would have dropped since the start."""
    return float(measurement.counters["modelled_hosts"][0]["would_have_dropped_bytes"])


def read_swift(measurement: Measurement) -> tuple[float, float, float]:
    """Gb/s in the second half of the run; bytes dropped, and bytes received since the start."""
    half = measurement.gbps.shape[1] // 2
    gbps = measurement.gbps.sum(axis=0)
    return float(gbps[half:].mean()), would_have_dropped_bytes(measurement), float(gbps.sum()) * INTERVAL_S * 1e9 / 8
