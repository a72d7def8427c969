# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The network configurations of Paper V (Table I) and Paper VI (Table 1). README.md says what is printed and what is deduced.

The papers count nodes from 0: node i is host H(i+1). Their bandwidths are data rates, as ibcc's link rates are.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, Literal, TypeAlias

import ccsim
from tuner.documents.fabric import FabricDocument
from tuner.documents.hosts import HostDirectory
from tuner.fabric.built_fabric import build
from tuner.fabric.topologies.base import generate

Paper: TypeAlias = Literal["V", "VI", "VI single"]
"""`VI single`: Paper VI's section 9.2, where CCFIT is measured on its switches with a single read port at each input."""

MTU_BYTES = 2048
PACKET_BYTES = 2112
"""Room of a full packet in a buffer: its headers included, in blocks of 64 bytes."""
PROPAGATION_NS = 6.0
"""Paper VI, section 4.1; Paper V prints none."""
SLOW_LINK, FAST_LINK = "2xFDR10", "4xFDR10"
"""Data rates of 2.5 and 5 GB/s."""
FOLDER = Path(__file__).parent


@dataclass(frozen=True, kw_only=True)
class Rules:
    """Properties that all configurations of a paper have in common."""

    input_buffer_bytes: int
    """Memory of an input port, of all schemes but VOQnet."""
    voqnet_queue_packets: int
    """Room that VOQnet has for each destination at an input port."""
    high_packets: int
    low_packets: int
    """Fill levels of a VOQ at which an output port enters and leaves the congestion state."""
    profile: str
    """File name of the tables of congestion control."""


PAPER_5 = Rules(input_buffer_bytes=64 << 10, voqnet_queue_packets=2, high_packets=4, low_packets=2, profile="ith-paper-5.yaml")
PAPER_6 = Rules(
    input_buffer_bytes=128 << 10,
    voqnet_queue_packets=64,
    high_packets=6,
    low_packets=4,
    profile="ith-paper-6.yaml",
)


@dataclass(frozen=True, kw_only=True)
class Configuration:
    name: str
    """Such as `V-1`: the paper, and the number in its table."""
    paper: Paper
    kind: str
    """Topology of `ibcc fabric generate`."""
    parameters: Mapping[str, Any]
    host_rate: str
    read_ports: int
    """Packets that can leave an input buffer at once."""
    crossbar_gbps: float
    """Data rate at which a packet crosses a switch."""
    rules: Rules = field(repr=False)

    @cached_property
    def fabric(self) -> FabricDocument:
        return generate(
            self.kind,
            **self.parameters,
            name=self.name,
            mtu_bytes=MTU_BYTES,
            host_rate=self.host_rate,
            host_propagation_ns=PROPAGATION_NS,
            switch_propagation_ns=PROPAGATION_NS,
        )

    @property
    def hosts(self) -> HostDirectory:
        """The hosts to which workloads refer."""
        return build(self.fabric).hosts

    @property
    def capacity_gbps(self) -> float:
        """Data rate of the links of all hosts together, by which throughput is normalized."""
        return len(self.fabric.hosts) * ccsim.link_data_gbps(self.host_rate)

    @property
    def devices(self) -> Mapping[str, Any]:
        """Settings of the simulated devices that all schemes share, by dotted key."""
        return {"switch.input_buffer_bytes": self.rules.input_buffer_bytes, "switch.read_ports": self.read_ports}

    @property
    def throttling_devices(self) -> Mapping[str, Any]:
        """Settings for schemes that throttle: the papers' thresholds, a BECN for each marked packet, a timer for each flow."""
        rules = self.rules
        return {
            "switch.threshold_mode": "voq",
            "switch.threshold_reference_bytes": 16.0 * rules.high_packets * PACKET_BYTES,
            "switch.hysteresis_bytes": (rules.high_packets - rules.low_packets) * PACKET_BYTES,
            "ca.cnp_spacing_ns": 0.0,
            "ca.ccti_timer": "flow",
        }

    @property
    def profile(self) -> str:
        """Path of the tables for schemes that throttle."""
        return str(FOLDER / self.rules.profile)


def _tree(name: str, paper: Paper, k: int, n: int, host_rate: str, read_ports: int, rules: Rules) -> Configuration:
    """A k-ary n-tree whose crossbars are as fast as its links."""
    return Configuration(
        name=name,
        paper=paper,
        kind="k-ary-n-tree",
        parameters={"k": k, "n": n},
        host_rate=host_rate,
        read_ports=read_ports,
        crossbar_gbps=ccsim.link_data_gbps(host_rate),
        rules=rules,
    )


V_1 = Configuration(
    name="V-1",
    paper="V",
    kind="dumbbell",
    parameters={"left": 3, "right": 4, "trunks": 1, "switch_rate": FAST_LINK},
    host_rate=SLOW_LINK,
    read_ports=1,
    crossbar_gbps=ccsim.link_data_gbps(FAST_LINK),
    rules=PAPER_5,
)
V_2 = _tree("V-2", "V", 2, 3, SLOW_LINK, 1, PAPER_5)
V_3 = _tree("V-3", "V", 4, 3, SLOW_LINK, 1, PAPER_5)
VI_1, VI_2, VI_3 = (_tree(f"VI-{n - 2}", "VI", 4, n, FAST_LINK, 8, PAPER_6) for n in (3, 4, 5))
VI_1_SINGLE, VI_2_SINGLE = (_tree(f"VI-{n - 2}-single", "VI single", 4, n, FAST_LINK, 1, PAPER_6) for n in (3, 4))

CONFIGURATIONS = (V_1, V_2, V_3, VI_1, VI_2, VI_3, VI_1_SINGLE, VI_2_SINGLE)
