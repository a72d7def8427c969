# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Base of every kind of topology: the parameters that all share, the methods that each kind provides, and the registry."""

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import Annotated, Any, ClassVar, Literal, Self, TypeAlias

from pydantic import model_validator

import ccsim
from tuner.document_base.model import DocumentModel, Within, build_model, misplaced
from tuner.documents.congestion_control import CongestionControlRow, Dialect
from tuner.documents.fabric import MAX_PROPAGATION_NS, PROPAGATION_NS_PER_M, FabricDocument, Routing
from tuner.documents.flow import Gbps, Name
from tuner.fabric.topologies.layout import Counts, Layout, LinkSettings
from tuner.registry import Registry

MAX_PORTS = 254
"""A switch's external ports; port numbers are 8 bits, 0 is the switch itself and 255 means none (IBA)."""
MAX_LIDS = 0xBFFF
"""Unicast LIDs of a subnet, of which each host and each switch takes one."""

Size: TypeAlias = Annotated[int, Within(1, MAX_LIDS)]
"""Number of parts of one sort in a topology."""
PortsTaken: TypeAlias = Annotated[int, Within(1, MAX_PORTS)]
"""Number of a switch's ports that something takes."""


class Topology(DocumentModel, ABC):
    """Base of all kinds: equal parameters give equal documents.

    Hosts are called H1, H2, … in the order of their switches; each has one port. They stand on the lowest ports of their switch.
    """

    suited_routing: ClassVar[str]
    """The routing that suits the kind: under it every host reaches every other, without credit loops."""
    examples: ClassVar[tuple[Mapping[str, Any], ...]]
    """Parameters of several small fabrics of this kind, border cases among them; every test of all kinds uses them."""

    name: Name | None = None
    """Name of the fabric; by default made of kind and parameters."""
    routing: Routing | None = None
    """Routing of the fabric; by default the one that suits the kind."""
    mtu_bytes: Literal[256, 512, 1024, 2048, 4096] = 4096
    """MTU of the fabric in bytes."""
    host_rate: str = "4xNDR"
    """Width and speed of the links to hosts."""
    switch_rate: str | None = None
    """Width and speed of the links between switches; by default those of the links to hosts."""
    host_propagation_ns: Annotated[float, Within(0, MAX_PROPAGATION_NS)] | None = None
    """Delay of the links to hosts in ns; 25 ns without it and without a length."""
    host_length_m: Annotated[float, Within(0, MAX_PROPAGATION_NS / PROPAGATION_NS_PER_M)] | None = None
    """Length of the links to hosts in m, at 5 ns each."""
    switch_propagation_ns: Annotated[float, Within(0, MAX_PROPAGATION_NS)] | None = None
    """Delay of the links between switches in ns; 25 ns without it and without a length."""
    switch_length_m: Annotated[float, Within(0, MAX_PROPAGATION_NS / PROPAGATION_NS_PER_M)] | None = None
    """Length of the links between switches in m, at 5 ns each."""
    inject_gbps: Gbps | None = None
    """Greatest rate at which each host's bus sends, in Gb/s of payload; by default what its link carries."""
    receive_gbps: Gbps | None = None
    """Greatest rate at which each host's bus receives, in Gb/s of payload; by default what its link carries."""
    congestion_control: Dialect | None = None
    """Congestion control of the devices; by default annex A10's. `nvidia-dcqcn` suits HDR and later."""

    def check(self) -> None:
        """Raises what `misplaced` makes if the parameters do not go together; called before the other methods."""

    @abstractmethod
    def expected(self) -> Counts:
        """The counts by formula, from the parameters alone: what the building code is tested against."""

    @abstractmethod
    def switch_ports(self) -> int:
        """Ports of the largest switch."""

    @abstractmethod
    def lay_out(self, layout: Layout) -> None:
        """Adds every switch, host and link."""

    def diameter(self) -> int | None:
        """Links between switches on the longest of the shortest routes from host to host; None where no formula gives it."""
        return None

    def notes(self) -> Iterator[str]:
        """Sentences on what people should know about this fabric."""
        yield from ()

    def fabric(self) -> FabricDocument:
        """The fabric document."""
        host_links = LinkSettings(self.host_rate, self.host_propagation_ns, self.host_length_m)
        switch_links = LinkSettings(self.rate_between_switches, self.switch_propagation_ns, self.switch_length_m)
        layout = Layout(
            host_links=host_links, switch_links=switch_links, inject_gbps=self.inject_gbps, receive_gbps=self.receive_gbps
        )
        self.lay_out(layout)
        return FabricDocument(
            ibcc_fabric=1,
            name=self.name or self._default_name(),
            mtu_bytes=self.mtu_bytes,
            switches=tuple(layout.switches),
            hosts=tuple(layout.hosts),
            links=tuple(layout.links),
            routing=self.routing or self.suited_routing,
            congestion_control=()
            if self.congestion_control is None
            else (CongestionControlRow(dialect=self.congestion_control),),
        )

    @property
    def rate_between_switches(self) -> str:
        return self.switch_rate or self.host_rate

    @classmethod
    def kind(cls) -> str:
        """The registry's name for this kind."""
        return next(name for name in TOPOLOGIES.names() if TOPOLOGIES.get(name) is cls)

    @classmethod
    def own_parameters(cls) -> list[str]:
        """Names of the parameters that other kinds do not have."""
        return [name for name in cls.model_fields if name not in Topology.model_fields]

    def _default_name(self) -> str:
        """Such as mesh-4x4-2: the kind and its own parameters, as far as they differ from their defaults."""
        values = self.model_dump(include=set(self.own_parameters()), exclude_defaults=True).values()
        parts = ["x".join(map(str, value)) if isinstance(value, list | tuple) else str(value) for value in values]
        return "-".join([self.kind(), *parts])

    @model_validator(mode="after")
    def _is_possible(self) -> Self:
        self._check_links()
        self.check()
        self._check_size()
        return self

    def _check_links(self) -> None:
        for rate in (self.host_rate, self.rate_between_switches):
            try:
                ccsim.link_data_gbps(rate)
            except ValueError as error:
                raise misplaced(str(error)) from error
        for links in ("host", "switch"):
            if getattr(self, f"{links}_propagation_ns") is not None and getattr(self, f"{links}_length_m") is not None:
                raise misplaced(f"{links}_propagation_ns and {links}_length_m are both given; one of them is enough")

    def _check_size(self) -> None:
        if (ports := self.switch_ports()) > MAX_PORTS:
            raise misplaced(f"needs switches of {ports} ports; a switch has at most {MAX_PORTS}")
        counts = self.expected()
        if counts.hosts + counts.switches > MAX_LIDS:
            total = f"{counts.hosts} hosts and {counts.switches} switches"
            raise misplaced(f"would have {total}; a subnet has LIDs for {MAX_LIDS} of both together")


TOPOLOGIES: Registry[type[Topology]] = Registry("topology", "tuner.fabric.topologies")
"""The kinds by name. A file of this package adds its kind in its last line."""


def topology(kind: str, parameters: Mapping[str, object]) -> Topology:
    """A topology of a kind. Raises BadInputError with one sentence for an unknown kind or parameter, or a value out of range."""
    return build_model(TOPOLOGIES.get(kind), parameters, source=f"topology {kind}")


def generate(kind: str, **parameters: object) -> FabricDocument:
    """A fabric, such as `generate("three-stage", radix=36, host_rate="4xDDR", mtu_bytes=2048)`. Raises BadInputError."""
    return topology(kind, parameters).fabric()
