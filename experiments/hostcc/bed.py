# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Two leaves, two spines, eight hosts at 100 Gb/s. H3 receives, and may be loaded; H4 is its neighbor."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from ccsim.policy import Profile
from experiments._common.runs import Run
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import build
from tuner.suggest.devices import DEVICE_MODELS
from tuner.suggest.suggestion import suggest

LOADED_FROM_S, DURATION_S, INTERVAL_S = 0.001, 0.02, 1e-4
RECEIVER = "H3"
BUFFER_BYTES, LOSSLESS_BYTES = 1 << 20, 67584
"""Receive buffers: of the paper's adapter, and of a lossless one, which is the simulator's usual one."""

LEVELS: Mapping[str, Sequence[float]] = {
    "coarse": (1, 0.8, 0.6, 0.4, 0),
    "middle": (1, 0.9, 0.8, 0.7, 0),
    "fine": (1, 0.95, 0.9, 0.85, 0.8),
}
"""Parts of the load that stay at each level: their strengths are not published."""
CONTROLS = ("annex A10", "DCQCN")


@dataclass(frozen=True, kw_only=True)
class Case:
    """One run."""

    control: str | None
    """One of CONTROLS; None: no congestion control."""
    flows: tuple[tuple[str, str, str, float | None], ...]
    """Name, source, destination, and rate in Gb/s; None: all that it can get."""
    cores: int = 0
    levels: str | None = None
    """hostCC with these levels; None: without hostCC."""
    victim_mask: bool = False
    buffer_bytes: int = BUFFER_BYTES
    ping_pong: bool = False
    """A message of 64 bytes back and forth between H7 and the receiver."""

    def fabric(self) -> FabricDocument:
        return fabric(self.control, self.levels, self.buffer_bytes)

    def run(self, path: str) -> Run:
        loads = [{"hosts": [RECEIVER], "cores": float(self.cores), "start_s": LOADED_FROM_S}] if self.cores else []
        loop = {"kind": "ping-pong", "name": "loop", "sources": ["H7"], "destinations": [RECEIVER], "message_bytes": 64}
        workload = {
            "ibcc_workload": 1,
            "name": "hostcc",
            "fabric": path,
            "duration_s": DURATION_S,
            "sample_interval_s": INTERVAL_S,
            "warmup_s": 2 * LOADED_FROM_S,
            "flows": [_flow(*flow) for flow in self.flows],
            "patterns": [loop] if self.ping_pong else [],
            "host_loads": loads,
        }
        return Run(workload=build_model(Workload, workload), fabric=path, profile=profile(self.control, self.victim_mask))


def _flow(name: str, src: str, dst: str, rate_gbps: float | None) -> dict[str, Any]:
    flow: dict[str, Any] = {"name": name, "src": src, "dst": dst}
    return flow if rate_gbps is None else flow | {"rate_gbps": rate_gbps}


@cache
def profile(control: str | None, victim_mask: bool) -> str | Profile:
    """Annex A10: what `ibcc profile suggest` gives for two senders. DCQCN: the packaged set hpcc-dcqcn."""
    if control is None:
        return "off"
    if control == "DCQCN":
        return "hpcc-dcqcn"
    suggested = suggest(
        build(fabric(control, None, BUFFER_BYTES)), contributors=2, variants=[DEVICE_MODELS["calibrated"]]
    ).profile
    return suggested.with_settings({"switch.victim_mask": "ca_ports" if victim_mask else "none"})


def fabric(control: str | None, levels: str | None, buffer_bytes: int) -> FabricDocument:
    names = [f"H{i}" for i in range(1, 9)]
    model: dict[str, Any] = {"preset": "skylake-100g", "receive_buffer_bytes": buffer_bytes, "hosts": [RECEIVER]}
    if levels is not None:
        model["hostcc"] = {"level_factors": [float(factor) for factor in LEVELS[levels]]}
    hosts = [{"a": f"{name}/1", "b": f"L{1 + i // 4}/{1 + i % 4}", "rate": "4xEDR"} for i, name in enumerate(names)]
    spines = [{"a": f"L{leaf}/{4 + spine}", "b": f"T{spine}/{leaf}", "rate": "4xEDR"} for leaf in (1, 2) for spine in (1, 2)]
    return build_model(
        FabricDocument,
        {
            "ibcc_fabric": 1,
            "name": "hostcc",
            "mtu_bytes": 4096,
            "switches": [{"name": name, "ports": 6} for name in ("L1", "L2", "T1", "T2")],
            "hosts": [{"name": name} for name in names],
            "links": hosts + spines,
            "congestion_control": [{"dialect": "nvidia-dcqcn"}] if control == "DCQCN" else [],
            "host_models": {"receiver": model},
        },
    )
