# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The fabrics with what is checked on them, and where on each of them faults strike."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from experiments.carry_over.placement import payload_gbps
from experiments.fat_tree_648 import bed as fat_tree
from experiments.nightly_checks.nature import SIZES, Nature, Sizes
from tuner.documents.device_model import nested
from tuner.documents.expanded_flow import ExpandedFlow
from tuner.documents.fabric import FabricDocument, Link, load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.flow import Flow
from tuner.documents.workload import Workload, load_workload
from tuner.fabric.built_fabric import BuiltFabric, build
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate
from tuner.placement.on_fabric import on_fabric

HERE = Path(__file__).parent
NDR_BUS = 0.98
"""An NDR host's rates, as a part of what its link carries: an assumption, so that they can vary."""


@dataclass(frozen=True, kw_only=True)
class Bed:
    """`document`: makes the fabric; its argument is the caller's fabric, for a bed that `needs_fabric`. `others`: the pattern of
    other tenants' traffic, without its load. `streams`: how many are measured; fewer where a night takes longer."""

    name: str
    document: Callable[[Path | None], FabricDocument]
    workload: str
    profile: str
    time_scale: float = 1.0
    others: Mapping[str, Any]
    needs_fabric: bool = False
    emulated: bool = False
    streams: int = 3

    @property
    def slug(self) -> str:
        return self.name.replace(", ", "-")


def _forest(_: Path | None) -> FabricDocument:
    devices = nested({f"model.{key}": value for key, value in fat_tree.devices().items()})["model"]
    made = generate(
        "three-stage",
        radix=16,
        name="fat-tree-128",
        mtu_bytes=2048,
        host_rate="4xDDR",
        inject_gbps=fat_tree.INJECT_GBPS,
        receive_gbps=fat_tree.RECEIVE_GBPS,
    )
    return made.model_copy(update={"model": devices})


def _tree(_: Path | None) -> FabricDocument:
    return generate(
        "k-ary-n-tree", k=4, n=2, name="tree-16", mtu_bytes=2048, host_rate="4xDDR", inject_gbps=13.0, receive_gbps=13.3
    )


def _ndr(path: Path | None) -> FabricDocument:
    assert path is not None
    read = import_fabric(path, name="ndr").with_congestion_control("a10").fabric
    bus = round(NDR_BUS * payload_gbps("4xNDR", read.mtu_bytes), 3)
    hosts = tuple(
        host.model_copy(update={"inject_gbps": bus, "receive_gbps": bus}) if host.kind == "host" else host for host in read.hosts
    )
    return read.model_copy(update={"hosts": hosts, "model": {"ca": {"cnp_spacing_ns": 1600}}})


BEDS: Mapping[str, Bed] = {
    bed.name: bed
    for bed in (
        Bed(
            name="two-switch",
            document=lambda _: load_fabric("two-switch"),
            workload="scenario-1",
            profile="gran-2010",
            time_scale=0.2,
            others={"kind": "uniform", "name": "others"},
        ),
        Bed(
            name="forest",
            document=_forest,
            workload=str(HERE / "forest.yaml"),
            profile="gran-2012",
            others={"kind": "uniform", "name": "others"},
            streams=2,
        ),
        Bed(
            name="ndr",
            document=_ndr,
            workload=str(HERE.parent / "ndr_incast" / "incast-32.yaml"),
            profile=str(HERE.parent / "ndr_incast" / "profile.yaml"),
            others={
                "kind": "uniform",
                "name": "others",
                "hosts": ["a07-* HCA-1", "b05-* HCA-1"],
                "destinations": ["b0[78]-* HCA-1"],
            },
            needs_fabric=True,
            streams=1,
        ),
        Bed(
            name="two-switch, emulated",
            document=lambda _: load_fabric("two-switch"),
            workload="scenario-1",
            profile="gran-2010",
            time_scale=0.2,
            others={"kind": "ring", "name": "others"},
            emulated=True,
            streams=2,
        ),
        Bed(
            name="tree, emulated",
            document=_tree,
            workload=str(HERE / "tree.yaml"),
            profile="gran-2010",
            others={"kind": "ring", "name": "others"},
            emulated=True,
            streams=2,
        ),
    )
}


class Ground:
    """A bed that is built: its fabric's document lies in a folder."""

    def __init__(self, bed: Bed, folder: Path, fabric: Path | None = None, *, time_scale: float | None = None) -> None:
        """Raises BadInputError."""
        self.bed, self.time_scale = bed, time_scale or bed.time_scale
        self.fabric = bed.document(fabric)
        self.path = folder / "fabric.yaml"
        folder.mkdir(parents=True, exist_ok=True)
        self.path.write_text(fabric_text(self.fabric), encoding="utf-8")

    @cached_property
    def built(self) -> BuiltFabric:
        return build(self.fabric)

    @cached_property
    def workload(self) -> Workload:
        """The workload that is run, its roles played by hosts of the fabric; its patterns are not expanded."""
        return on_fabric(load_workload(self.bed.workload), self.built, fabric=self.fabric.name).workload.scaled(self.time_scale)

    def nature(self, seed: int, nights: int, sizes: Sizes = SIZES) -> Nature:
        return Nature(self.fabric, self.workload, dict(self.bed.others), seed=seed, nights=nights, sizes=sizes)

    @cached_property
    def contributors(self) -> tuple[str, ...]:
        """Descriptions of the hosts that send as contributors, in the workload's order."""
        return tuple(dict.fromkeys(self._name(flow.src) for flow in self.flows if flow.role == "contributor"))

    @cached_property
    def receiver(self) -> str:
        """Description of the host that most contributors send to."""
        return self._name(self._busiest)

    @cached_property
    def victims(self) -> tuple[str, ...]:
        """Descriptions of the victims' receivers, or of the victims where each sends to many."""
        ends = (flow.src if _sends_to_many(flow) else flow.dst for flow in self.flows if flow.role == "victim")
        return tuple(dict.fromkeys(self._name(end) for end in ends))

    @cached_property
    def leaf(self) -> str:
        """Description of the switch that the receiver is attached to."""
        end = self.built.hosts.find(self._busiest)
        peer = self.built.fabric.peer(end.node, end.port)
        assert peer is not None
        return self.built.fabric.node_name(peer[0])

    @cached_property
    def trunk(self) -> Link:
        """The first link between switches on the way from a victim to where it sends, or, where it sends to many, to the
        receiver."""
        victim = next(flow for flow in self.flows if flow.role == "victim")
        target = self._busiest if _sends_to_many(victim) else victim.dst
        way = self.built.fabric.route(self.built.endport(victim.src), self.built.endport(target))
        for node, port in way[1:]:
            name = f"{self.built.fabric.node_name(node)}/{port}"
            for link in self.fabric.links:
                if name in (link.a, link.b) and not self.is_host_link(link):
                    return link
        raise AssertionError(f"the victims of bed '{self.bed.name}' cross no link between switches")

    def is_host_link(self, link: Link) -> bool:
        """An end of a host whose name others have too is a GUID."""
        return link in self._host_links

    @cached_property
    def _host_links(self) -> frozenset[Link]:
        switches = len(self.fabric.switches)
        return frozenset(link for link, *ends in self.fabric.ends() if any(end.node >= switches for end in ends))

    @cached_property
    def flows(self) -> tuple[Flow, ...]:
        return self.workload.expanded(self.built.hosts).flows

    @cached_property
    def _busiest(self) -> str:
        return Counter(flow.dst for flow in self.flows if flow.role == "contributor").most_common(1)[0][0]

    def _name(self, reference: str) -> str:
        return self.built.hosts.find(reference).name


def _sends_to_many(flow: Flow) -> bool:
    return isinstance(flow, ExpandedFlow) and flow.destinations is not None
