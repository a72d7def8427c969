# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fabrics, from seven hosts to two thousand, and the same traffic on each: an incast and its victims.

Two neighbours in BEDS differ in one thing, as far as that can be: more contributors (two-switch, tree-648, tree-2048), another
topology (tree-648, torus), another rate (tree-648, imported).
"""

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import ccsim
from ccsim.policy import PACKET_OVERHEAD_BYTES
from experiments.carry_over.placement import Places, Shape, payload_gbps
from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument, load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.workload import Workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate

INTERVAL_S = 0.001
WARMUP_GAPS, WINDOW_GAPS, TIMERS_S = 500, 300, 0.01
"""Length of a run, in times between two packets of a fair share, and what is added for the sake of CCTI_Timers. The first packets
fill all buffers on the way, 128 of each contributor's at its leaf, and it takes as many gaps until those are gone."""
HOSTS = {"host_rate": "4xDDR", "mtu_bytes": 2048, "inject_gbps": 13.5, "receive_gbps": 13.6}
"""Rates of the hosts, the same as in fat_tree_648."""
CNP_SPACING_NS, CALIBRATED_PACKET_NS = 20_000.0, 1037.0
"""The spacing that calibration found for adapters of 16 Gb/s whose packets have 2,048 bytes, and the time that such a packet
takes."""


@dataclass(frozen=True, kw_only=True)
class Bed:
    """One fabric with its traffic."""

    name: str
    shape: Shape
    document: Callable[[], FabricDocument]


BEDS: tuple[Bed, ...] = (
    Bed(
        name="two-switch",
        shape=Shape(leaves=1, contributors_a_leaf=2, victims_a_leaf=1, local=2),
        document=lambda: load_fabric("two-switch"),
    ),
    Bed(
        name="tree-648",
        shape=Shape(leaves=4, contributors_a_leaf=8, victims_a_leaf=4),
        document=lambda: generate("three-stage", radix=36, name="tree-648", **HOSTS),
    ),
    Bed(
        name="tree-2048",
        shape=Shape(leaves=8, contributors_a_leaf=16, victims_a_leaf=4),
        document=lambda: generate("three-stage", radix=64, name="tree-2048", **HOSTS),
    ),
    Bed(
        name="torus",
        shape=Shape(leaves=16, contributors_a_leaf=2, victims_a_leaf=1, victims_ask=0.15),
        document=lambda: generate("torus", dims=(8, 8), hosts_per_switch=4, name="torus", **HOSTS),
    ),
)
QUICK = ("two-switch", "torus")
IMPORTED = "imported"
IMPORTED_SHAPE = Shape(leaves=4, contributors_a_leaf=8, victims_a_leaf=4)


def imported(path: Path) -> Bed:
    """A fabric of one's own: a fabric document, or what an importer knows, `ibnetdiscover`'s text say."""

    def document() -> FabricDocument:
        if path.suffix in (".yaml", ".yml", ".json"):
            return load_fabric(path)
        return import_fabric(path, name=IMPORTED).with_congestion_control("a10").fabric

    return Bed(name=IMPORTED, shape=IMPORTED_SHAPE, document=document)


class Ground:
    """A bed that is built: its fabric's document lies in a folder, and its traffic can be drawn."""

    def __init__(self, bed: Bed, folder: Path) -> None:
        """Raises BadInputError."""
        self.bed = bed
        folder.mkdir(parents=True, exist_ok=True)
        self.path = folder.resolve() / "fabric.yaml"
        self.path.write_text(fabric_text(bed.document()), encoding="utf-8")

    @cached_property
    def built(self) -> BuiltFabric:
        return build(load_fabric(self.path))

    @property
    def name(self) -> str:
        return self.bed.name

    @property
    def contributors(self) -> int:
        return self.bed.shape.contributors

    @property
    def mtu_bytes(self) -> int:
        return self.built.document.mtu_bytes

    @cached_property
    def host_rate(self) -> str:
        """Rate of the slowest link to a host."""
        document = self.built.document
        hosts = {endport.node for endport in self.built.hosts.endports if endport.kind == "host"}
        rates = {link.rate for link, *ends in document.ends() if any(end.node in hosts for end in ends)}
        return min(rates, key=ccsim.link_data_gbps)

    @property
    def rate_gbps(self) -> float:
        """Data rate of the hosts' links."""
        return ccsim.link_data_gbps(self.host_rate)

    @property
    def packet_ns(self) -> float:
        """A full packet on a host's link."""
        return (self.mtu_bytes + PACKET_OVERHEAD_BYTES) * 8 / self.rate_gbps

    @property
    def link_gbps(self) -> float:
        """Payload of a host's link."""
        return payload_gbps(self.host_rate, self.mtu_bytes)

    @property
    def inject_gbps(self) -> float:
        """Payload that a host can send."""
        return min([self.link_gbps, *(host.inject_gbps for host in self.built.document.hosts if host.inject_gbps is not None)])

    @property
    def receive_gbps(self) -> float:
        """Payload that a host can receive."""
        return min([self.link_gbps, *(host.receive_gbps for host in self.built.document.hosts if host.receive_gbps is not None)])

    @property
    def victim_gbps(self) -> float:
        """Payload that each victim asks for."""
        return round(self.bed.shape.victims_ask * self.inject_gbps / self.bed.shape.victims_a_leaf, 4)

    @property
    def cnp_spacing_ns(self) -> int:
        """Calibration's spacing of CNPs, in as many packet times; an assumption, see experiments/ndr_incast."""
        return round(CNP_SPACING_NS * min(1.0, self.packet_ns / CALIBRATED_PACKET_NS))

    @property
    def devices(self) -> Mapping[str, Any]:
        """Settings of the simulated devices; all others are calibration's."""
        return {"ca.cnp_spacing_ns": self.cnp_spacing_ns}

    def to_json(self) -> dict[str, Any]:
        """Returns the values that its figures depend on."""
        return {
            "name": self.name,
            "hosts": sum(endport.kind == "host" for endport in self.built.hosts.endports),
            "rate": self.host_rate,
            "mtu_bytes": self.mtu_bytes,
            "contributors": self.contributors,
            "receive_gbps": self.receive_gbps,
            "victim_gbps": self.victim_gbps,
            "devices": dict(self.devices),
        }

    @cached_property
    def places(self) -> Places:
        return Places(self.built, self.bed.shape, receive_gbps=self.receive_gbps, victim_gbps=self.victim_gbps)

    @property
    def gap_ns(self) -> float:
        """Between two packets of a contributor that gets its fair share."""
        return self.contributors * self.mtu_bytes * 8 / self.receive_gbps

    @property
    def warmup_s(self) -> float:
        """Contributors have it to themselves; victims begin with the window, so that they have nothing to catch up with."""
        return self._samples(WARMUP_GAPS) * INTERVAL_S

    @property
    def window_s(self) -> float:
        return self._samples(WINDOW_GAPS) * INTERVAL_S

    def _samples(self, gaps: int) -> int:
        return math.ceil((gaps * self.gap_ns * 1e-9 + TIMERS_S) / INTERVAL_S)

    def workload(self, seed: int) -> Workload:
        """The traffic, with hosts drawn by `seed`."""
        placement = self.places.draw(seed)
        contributors = [
            {"name": f"C{i}", "src": source, "dst": placement.destination, "role": "contributor"}
            for i, source in enumerate(placement.contributors, start=1)
        ]
        victims = [
            {
                "name": f"V{i}",
                "src": source,
                "dst": target,
                "role": "victim",
                "start_s": self.warmup_s,
                "rate_gbps": self.victim_gbps,
            }
            for i, (source, target) in enumerate(placement.victims, start=1)
        ]
        return build_model(
            Workload,
            {
                "ibcc_workload": 1,
                "name": self.name,
                "fabric": str(self.path),
                "duration_s": round(self.warmup_s + self.window_s, 6),
                "sample_interval_s": INTERVAL_S,
                "warmup_s": self.warmup_s,
                "flows": [*contributors, *victims],
            },
        )
