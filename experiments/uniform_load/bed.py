# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""All hosts of a three-stage fat tree send to all others at random, all they can."""

from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass

from experiments._common.fabric_files import fabric_files
from experiments._common.runs import Run
from experiments.uniform_load.variants import INJECT_GBPS, RECEIVE_GBPS, Variant
from tuner.document_base.model import build_model
from tuner.documents.workload import Workload
from tuner.fabric.topologies.base import generate
from tuner.measuring.measurement import Measurement

BASE = "gran-2012"
TIMER = 150
"""CCTI_Timer of BASE."""
MTU_BYTES, MESSAGE_BYTES = 2048, 4096
INTERVAL_S = 0.0005
DURATION_S: Mapping[int, float] = {12: 0.02, 36: 0.006}
"""Length of a run by radix: 12 has 72 hosts, 36 has 648. The second half is judged."""


def fabrics(radix: int, variants: Sequence[Variant]) -> AbstractContextManager[Mapping[str, str]]:
    """Paths of the variants' fabrics by fabric_key, which live as long as the context."""
    usual: dict[str, object] = {
        "mtu_bytes": MTU_BYTES,
        "host_rate": "4xDDR",
        "inject_gbps": INJECT_GBPS,
        "receive_gbps": RECEIVE_GBPS,
    }
    different = {fabric_key(variant): variant.fabric for variant in variants}
    return fabric_files({key: generate("three-stage", radix=radix, **{**usual, **keys}) for key, keys in different.items()})


def fabric_key(variant: Variant) -> str:
    return repr(sorted(variant.fabric.items()))


def run(variant: Variant, fabric: str, *, radix: int, cc: bool, seed: int) -> Run:
    duration_s = DURATION_S[radix]
    pattern = {"kind": "uniform", "name": "load", "message_bytes": MESSAGE_BYTES, **variant.traffic}
    workload = build_model(
        Workload,
        {
            "ibcc_workload": 1,
            "name": "uniform-load",
            "fabric": fabric,
            "duration_s": duration_s,
            "sample_interval_s": INTERVAL_S,
            "warmup_s": duration_s / 2,
            "patterns": [pattern],
        },
    )
    return Run(
        workload=workload,
        profile=BASE if cc else "off",
        profile_settings=variant.profile if cc else {},
        model=variant.model,
        seed=seed,
    )


@dataclass(frozen=True, kw_only=True)
class Reading:
    host_gbps: float
    """Payload that a host receives on average."""
    marked: float
    """Part of all packets that arrive marked, over the whole run."""
    becns: float
    """BECNs that arrive at their source, by packet."""
    cpu_s: float

    @classmethod
    def of(cls, measurement: Measurement) -> "Reading":
        gbps = measurement.gbps[:, measurement.gbps.shape[1] // 2 :].mean(axis=1).sum()
        flows = measurement.counters["flows"]
        packets = max(1, sum(row["received_packets"] for row in flows))
        return cls(
            host_gbps=float(gbps) / len(measurement.counters["hosts"]),
            marked=sum(row["fecn_received"] for row in flows) / packets,
            becns=sum(row["becn_received"] for row in flows) / packets,
            cpu_s=measurement.performance.cpu_s,
        )
