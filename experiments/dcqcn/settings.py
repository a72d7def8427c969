# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parameter sets of DCQCN, and the profiles and models that they are here.

Rates of print are those of Ethernet links of 40 Gb/s; 4xFDR10 carries as much.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

RATE = "4xFDR10"
LINE_GBPS = 40.0
MTU_BYTES = 1024
WIRE_BYTES = MTU_BYTES + 26
"""Payload and the headers around it."""
BYTE_UNIT = 64
"""Unit of rpg_byte_reset here, see docs/research/simulator.md."""


@dataclass(frozen=True, kw_only=True)
class Settings:
    """One parameter set in the words of the paper, with the names of 0xFF21 and 0xFF22 in brackets."""

    machine: str
    """`paper` or `timers`, the model's `ca.dcqcn_machine`."""
    kmin_bytes: float
    kmax_bytes: float
    pmax: float
    cnp_us: int
    """[min_time_between_cnps]"""
    alpha_us: int
    """[dce_tcp_rtt]"""
    decrease_us: int = 4
    """[rate_reduce_monitor_period]: of machine `timers` alone."""
    increase_us: int
    """[rpg_time_reset]"""
    byte_counter: float = 0.0
    """Bytes [rpg_byte_reset]; 0: none."""
    threshold: int
    """F [rpg_threshold]"""
    ai_gbps: float
    hai_gbps: float
    g: float = 1 / 256

    def profile(self) -> dict[str, Any]:
        return {
            "ibcc_profile": 2,
            "name": "dcqcn",
            "nvidia": {
                "switch": {
                    "aqs_time": 0,
                    "aqs_weight": 0,
                    "thresholds": [
                        {
                            "vls": "all",
                            "unit": "bytes",
                            "profile1_min": round(self.kmin_bytes),
                            "profile1_max": round(self.kmax_bytes),
                            "profile1_percent": round(100 * self.pmax),
                        }
                    ],
                },
                "adapter": {
                    "type": "dcqcn",
                    "rp": {
                        "dce_tcp_g": round(1024 * (1 - self.g)),
                        "dce_tcp_rtt": self.alpha_us,
                        "rate_reduce_monitor_period": self.decrease_us,
                        "rpg_time_reset": self.increase_us,
                        "rpg_byte_reset": round(self.byte_counter / BYTE_UNIT),
                        "rpg_threshold": self.threshold,
                        "rpg_ai_rate": round(1e3 * self.ai_gbps),
                        "rpg_hai_rate": round(1e3 * self.hai_gbps),
                        "rpg_min_dec_fac": 0,
                    },
                    "np": {"min_time_between_cnps": self.cnp_us},
                },
            },
        }

    def model(self) -> Mapping[str, Any]:
        return {"ca.dcqcn_machine": self.machine, "ca.rpg_byte_unit_bytes": BYTE_UNIT}


PAPER = Settings(
    machine="paper",
    kmin_bytes=5e3,
    kmax_bytes=200e3,
    pmax=0.01,
    cnp_us=50,
    alpha_us=55,
    increase_us=55,
    byte_counter=10e6,
    threshold=5,
    ai_gbps=0.04,
    hai_gbps=0.04,
)
"""The deployment of Zhu et al., SIGCOMM 2015. Its fluid model has no hyper increase: R_HAI is R_AI here."""

_HPCC = Settings(
    machine="timers",
    kmin_bytes=100e3 * LINE_GBPS / 25,
    kmax_bytes=400e3 * LINE_GBPS / 25,
    pmax=0.2,
    cnp_us=4,
    alpha_us=1,
    decrease_us=4,
    increase_us=300,
    threshold=1,
    ai_gbps=0.005 * LINE_GBPS / 25,
    hai_gbps=0.05 * LINE_GBPS / 25,
)
SETS: Mapping[str, Settings] = {
    "ns3-rdma sample": Settings(
        machine="paper",
        kmin_bytes=40 * 1030,
        kmax_bytes=1000 * 1030,
        pmax=1.0,
        cnp_us=50,
        alpha_us=55,
        increase_us=60,
        threshold=5,
        ai_gbps=0.04,
        hai_gbps=0.2,
    ),
    "HPCC dcqcn": _HPCC,
    "HPCC dcqcn_paper": replace(_HPCC, cnp_us=50, alpha_us=50, decrease_us=50, increase_us=55),
}
"""bobzhuyb/ns3-rdma, config.txt (its byte counter of 300 MB is as good as off); alibaba-edu/High-Precision-Congestion-Control,
simulation/run.py, scaled from 25 to 40 Gb/s as it does."""
