# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabric documents (`ibcc_fabric: 1`): switches, channel adapters, links, and how packets are routed."""

import itertools
import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Annotated, Any, Literal, NamedTuple, Self, TypeAlias

from pydantic import (
    AfterValidator,
    BeforeValidator,
    Field,
    PrivateAttr,
    SerializerFunctionWrapHandler,
    WithJsonSchema,
    model_serializer,
    model_validator,
)

import ccsim
from tuner.document_base.model import MOST_HOSTS, DocumentModel, ListOf, Within, listed, misplaced, unknown_name, validate
from tuner.document_base.yaml_core import Document, read_document
from tuner.documents import catalogue, lft
from tuner.documents.congestion_control import CongestionControl, CongestionControlRow, OneForAll
from tuner.documents.device_model import in_order, parameters_schema, set_parameter, validate_model
from tuner.documents.flow import Gbps, Name
from tuner.documents.hardware import Hardware, HardwareRow
from tuner.documents.host_model import HostModel, preset_model
from tuner.documents.host_presets import PRESETS
from tuner.documents.node_rows import NodeRow, by_node
from tuner.documents.registry import DOCUMENTS
from tuner.documents.service_levels import SlToVlOverride, SlToVlTables, VlArbitration, VlArbitrationOverride
from tuner.documents.subnets import numbered_subnets
from tuner.errors import BadInputError

NodeKind: TypeAlias = Literal["switch", "host", "aggregation", "router"]

PROPAGATION_NS_PER_M = 5.0
"""Light in fibre and signals in copper need about 5 ns for a metre."""
DEFAULT_PROPAGATION_NS = 25.0
MAX_PROPAGATION_NS = 1e9

_RATE = "^(1|2|4|8|12)x(SDR|DDR|QDR|FDR10|FDR|EDR|HDR|NDR|XDR)$"  # for editors; the simulator's own table decides
_HEXADECIMAL = re.compile(r"0x[0-9a-fA-F]{1,16}")

Guid: TypeAlias = Annotated[
    int,
    BeforeValidator(lambda value: int(value, 16) if isinstance(value, str) and _HEXADECIMAL.fullmatch(value) else value),
    Within(1, 2**64 - 1),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "integer", "minimum": 1, "maximum": 2**64 - 1},
                {"type": "string", "pattern": "^0x[0-9a-fA-F]{1,16}$"},
            ]
        }
    ),
]
"""A 64-bit number, written 0x… in YAML; JSON, which has no such numbers, has it as text."""
Lid: TypeAlias = Annotated[int, Within(1, 0xBFFF)]
"""A unicast LID."""
PortCount: TypeAlias = Annotated[int, Within(1, 254)]


Coordinate: TypeAlias = Annotated[int, Within(0, 65535)]


def _known_routing(name: str) -> str:
    if name not in ccsim.routing_names():
        raise ValueError(f"'{name}' is not known; there are {', '.join(ccsim.routing_names())}")
    return name


Routing: TypeAlias = Annotated[
    str, AfterValidator(_known_routing), WithJsonSchema({"type": "string", "enum": ccsim.routing_names()})
]
"""The simulator's routings; docs/use/routing.md tells what each does."""


class Switch(DocumentModel):
    name: Name
    """Node description; several nodes may have the same."""
    guid: Guid | None = None
    """Node GUID; without it, one is made up that is the same at every reading."""
    lid: Lid | None = None
    ports: PortCount
    """Number of external ports."""
    at: ListOf[Coordinate] = ()
    """Place in a torus, mesh or hypercube, a number from 0 a dimension, for the routing `dor`."""

    @property
    def kind(self) -> Literal["switch"]:
        return "switch"

    @property
    def lid_of_port(self) -> dict[int, int]:
        """The LID, at port 0."""
        return {} if self.lid is None else {0: self.lid}

    @property
    def lids(self) -> list[int]:
        return list(self.lid_of_port.values())


class HostPort(DocumentModel):
    """One port of a channel adapter that has several."""

    port: PortCount
    guid: Guid | None = None
    """Port GUID; without it, the node's plus the port number."""
    lid: Lid | None = None


class Host(DocumentModel):
    """A channel adapter."""

    name: Name
    """Node description; several nodes may have the same, and then only GUIDs and LIDs tell them apart."""
    kind: Literal["host", "aggregation", "router"] = "host"
    """`aggregation`: the adapter inside a switch that reduces data in the network. Only hosts carry flows."""
    guid: Guid | None = None
    """Node GUID; without it, one is made up that is the same at every reading."""
    ports: PortCount = 1
    lid: Lid | None = None
    """LID of the only port; adapters with several ports list them under `endports`."""
    port_guid: Guid | None = None
    """GUID of the only port, where it is not the node's."""
    endports: ListOf[HostPort] = ()
    inject_gbps: Gbps | None = None
    """Greatest rate at which the host's bus sends, in Gb/s of payload; without it, the link is the limit."""
    receive_gbps: Gbps | None = None
    """Greatest rate at which the host's bus receives, in Gb/s of payload; without it, the link is the limit."""
    host_model: Name | None = None
    """Model of how the host takes what it receives, instead of `receive_gbps`: a name under `host_models`, or a preset's."""

    @model_validator(mode="after")
    def _receives_one_way(self) -> "Host":
        if self.host_model is not None and self.receive_gbps is not None:
            raise ValueError(
                f"gives both receive_gbps {self.receive_gbps:g} and host_model {self.host_model}; one of them is enough"
            )
        if self.host_model is not None and self.kind != "host":
            raise ValueError(f"has a host_model, but is of kind {self.kind}; only hosts have one")
        return self

    @model_validator(mode="after")
    def _ports_are_described_once(self) -> "Host":
        if self.endports and (self.lid is not None or self.port_guid is not None):
            raise ValueError("gives lid or port_guid beside endports; give them inside endports only")
        if self.ports > 1 and (self.lid is not None or self.port_guid is not None):
            raise ValueError(f"has {self.ports} ports, so each has its own lid and guid: list them under endports")
        if any(endport.port > self.ports for endport in self.endports):
            raise ValueError(f"lists a port under endports that it does not have; it has {self.ports}")
        if len({endport.port for endport in self.endports}) < len(self.endports):
            raise ValueError("lists a port twice under endports")
        return self

    @property
    def lid_of_port(self) -> dict[int, int]:
        """LIDs of the ports that have one."""
        of_ports = {endport.port: endport.lid for endport in self.endports}
        return {port: lid for port, lid in ({1: self.lid} | of_ports).items() if lid is not None}

    @property
    def lids(self) -> list[int]:
        return list(self.lid_of_port.values())


class Link(DocumentModel):
    a: Name
    """NODE/PORT, where NODE is a unique description or `guid:0x…`."""
    b: Name
    rate: Annotated[str, Field(json_schema_extra={"pattern": _RATE})]
    """Width and speed, such as 4xNDR."""
    propagation_ns: Annotated[float, Within(0, MAX_PROPAGATION_NS)] | None = None
    """Without it and `length_m`: 25 ns, which is 5 m of cable."""
    length_m: Annotated[float, Within(0, MAX_PROPAGATION_NS / PROPAGATION_NS_PER_M)] | None = None

    @model_validator(mode="after")
    def _is_possible(self) -> "Link":
        if self.propagation_ns is not None and self.length_m is not None:
            raise ValueError("gives both propagation_ns and length_m; one of them is enough")
        ccsim.link_data_gbps(self.rate)
        return self

    @property
    def delay_ns(self) -> float:
        """Propagation delay in ns."""
        if self.length_m is not None:
            return self.length_m * PROPAGATION_NS_PER_M
        return DEFAULT_PROPAGATION_NS if self.propagation_ns is None else self.propagation_ns


class End(NamedTuple):
    """One end of a link: a node, by its position in `FabricDocument.nodes`, and a port."""

    node: int
    port: int


@dataclass(frozen=True)
class Origin:
    """Source of a document, for errors that are found later; two documents are equal wherever they come from."""

    document: Document | None = field(default=None, compare=False)


class FabricDocument(DocumentModel):
    """A whole fabric. Nodes are numbered as they stand: switches first, then hosts."""

    ibcc_fabric: Literal[1]
    name: Name
    mtu_bytes: Literal[256, 512, 1024, 2048, 4096]
    incomplete: Annotated[str, Field(min_length=1, max_length=400)] | None = None
    """Reason why parts of the real fabric may be missing, as an importer found it."""
    switches: ListOf[Switch] = ()
    hosts: ListOf[Host] = ()
    links: ListOf[Link] = ()
    routing: Routing = "minhop"
    """`minhop`: balanced shortest paths; `updown`: those that never turn up again; `dmodk`: D-mod-K, for fat trees; `dor`:
    dimension order, for tori, meshes and hypercubes; `tables`: none. `forwarding` comes on top of each."""
    roots: ListOf[Name] = ()
    """For `updown`: the switches at the top, written as in links. Without them they are found by their distance from hosts."""
    forwarding: dict[str, dict[str, PortCount]] = Field(default_factory=dict)
    """Output port by switch, then by destination host. Hosts are written as in workloads, switches as in links."""
    lfts: dict[str, lft.Lft] = Field(default_factory=dict)
    """Linear forwarding table of each switch, as runs of ports by first LID, as imported; `forwarding` overrides it."""
    sl_to_vl: SlToVlTables | None = None
    """VL that each SL travels on; without it, VL (SL modulo `model.num_vls`), or what the routing needs."""
    vl_arbitration: VlArbitration | None = None
    """Rule for the VL that a port serves next; without it, each in turn."""
    hardware: ListOf[HardwareRow] = ()
    """Makers and firmware of devices, for emulated fabrics: by kind or by node, and later rows replace what earlier ones say."""
    congestion_control: Annotated[ListOf[CongestionControlRow], OneForAll()] = ()
    """Congestion control that devices have: by kind or by node, and later rows replace what earlier ones say. The name of a
    dialect alone stands for all devices."""
    host_models: dict[Name, HostModel] = Field(default_factory=dict)
    """Models of how hosts take what they receive, by name; see docs/research/host-model.md."""
    model: Annotated[dict[str, Any], WithJsonSchema(parameters_schema())] = Field(default_factory=dict)
    """Parameters of the simulated devices, such as `switch: {input_buffer_bytes: …}`, and their scheme, `scheme: {name: …}`; see
    docs/research/simulator.md."""

    _guids: tuple[int, ...] = PrivateAttr(default=())
    _origin: Origin = PrivateAttr(default=Origin())

    @cached_property  # asked for with every end of every link
    def nodes(self) -> tuple[Switch | Host, ...]:
        return (*self.switches, *self.hosts)

    def guid_of(self, node: int) -> int:
        """A node's GUID, or the made-up one: its number from 1 times 256, which no vendor's GUID is and leaves room for ports.
        Where the document itself gives a GUID near that one, the next multiple of 256 beyond the last node's that is free."""
        return self._guids[node]

    def model_post_init(self, context: object) -> None:
        given = {guid >> 8 for node in self.nodes for guid in _given_guids(node)}
        free = (block for block in itertools.count(len(self.nodes) + 1) if block not in given)
        blocks = (i if i not in given else None for i in range(1, len(self.nodes) + 1))
        self._guids = tuple(
            node.guid or (next(free) if block is None else block) << 8 for node, block in zip(self.nodes, blocks, strict=True)
        )

    def bad_forwarding(self, switch: str, host: str, sentence: str, *, key: str = "forwarding") -> BadInputError:
        """The error that an entry of `forwarding` or `lfts` does not fit, with its file and line if it was read from one."""
        document = self._origin.document
        return BadInputError(
            f"forwarding of switch '{switch}' to '{host}': {sentence}",
            source=None if document is None else document.source,
            line=None if document is None else document.line_of((key, switch, host)),
        )

    def ends(self) -> Iterator[tuple[Link, End, End]]:
        """Every link with its ends resolved."""
        return iter(self._resolved)

    def device_hardware(self) -> list[Hardware]:
        """Returns maker and firmware of each node."""
        return by_node(self._with_numbers(self.hardware), [node.kind for node in self.nodes], Hardware())

    def modelled_hosts(self) -> dict[int, ccsim.HostModel]:
        """Returns the models of the hosts that have one, by place in `hosts`."""
        return {i: model.simulated() for i, model in self._host_models.items()}

    def receive_limit_gbps(self, host: int) -> float | None:
        """Returns the payload that a host takes while nothing else runs on it, in Gb/s; None if only its link is a limit."""
        model = self._host_models.get(host)
        return self.hosts[host].receive_gbps if model is None else model.simulated().drain()["gbps"]

    @cached_property
    def _host_models(self) -> dict[int, HostModel]:
        """By place in `hosts`. Raises ValueError with a sentence, or the error of a misplaced value."""
        found: dict[int, HostModel] = {}
        if not self.host_models and not any(host.host_model for host in self.hosts):
            return found
        for i, host in enumerate(self.hosts):
            if host.host_model is None:
                continue
            model = self.host_models.get(host.host_model) or preset_model(host.host_model)
            if model is None:
                known = [*self.host_models, *PRESETS]
                raise misplaced(unknown_name("host model", host.host_model, known), "hosts", i, "host_model")
            found[i] = model
        nodes = NodeNames(self)
        for name, model in self.host_models.items():
            for k, reference in enumerate(model.hosts):
                place = ("host_models", name, "hosts", k)
                try:
                    i = nodes.node(reference) - len(self.switches)
                except ValueError as error:
                    raise misplaced(str(error), *place) from error
                if i < 0 or self.hosts[i].kind != "host":
                    raise misplaced(f"'{reference}' is not a host; only hosts have a host model", *place)
                if i in found:
                    raise misplaced(f"'{reference}' has a host model already; one is enough", *place)
                if self.hosts[i].receive_gbps is not None:
                    raise misplaced(f"'{reference}' has receive_gbps; that or a host model is enough", *place)
                found[i] = model
        return found

    def device_congestion_control(self) -> list[CongestionControl]:
        """Returns the congestion control of each node; aggregation nodes have none."""
        found = by_node(self._with_numbers(self.congestion_control), [node.kind for node in self.nodes], CongestionControl())
        kinds = (node.kind for node in self.nodes)
        return [replace(one, dialect="none") if kind == "aggregation" else one for one, kind in zip(found, kinds, strict=True)]

    def dialects(self) -> Counter[str]:
        """Returns the number of nodes by the dialect of their congestion control, without aggregation nodes."""
        devices = zip(self.nodes, self.device_congestion_control(), strict=True)
        return Counter(device.dialect for node, device in devices if node.kind != "aggregation")

    def _with_numbers(self, rows: Sequence[NodeRow]) -> list[tuple[NodeRow, list[int]]]:
        nodes = NodeNames(self) if any(row.nodes for row in rows) else None
        return [(row, [] if nodes is None else [nodes.node(name) for name in row.nodes]) for row in rows]

    @cached_property  # several parts ask for the ends, and large fabrics have tens of thousands of links
    def _resolved(self) -> tuple[tuple[Link, End, End], ...]:
        nodes = NodeNames(self)
        return tuple((link, nodes.end(link.a), nodes.end(link.b)) for link in self.links)

    @cached_property
    def subnets(self) -> dict[tuple[int, int], int]:
        """The number of the subnet, from 1, of each switch, as its End with port 0, and of each linked port of a host; those that
        reach no host are left out. Raises ValueError with a sentence for links that do not fit."""
        return numbered_subnets(len(self.switches), ((a, b) for _, a, b in self._resolved))

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """pydantic's, but for what was computed of the original's fields."""
        copy = super().model_copy(update=update, deep=deep)
        for computed in ("nodes", "_resolved", "subnets", "_host_models"):
            copy.__dict__.pop(computed, None)
        copy.model_post_init(None)
        return copy

    @model_serializer(mode="wrap")
    def _without_absent_parts(self, handler: SerializerFunctionWrapHandler) -> dict[str, Any]:
        """A fabric without host models is written, and identified in stored campaigns, as before there were any."""
        document: dict[str, Any] = handler(self)
        if not self.host_models:
            document.pop("host_models", None)
        for host in document.get("hosts", ()):
            if host.get("host_model") is None:
                host.pop("host_model", None)
        return document

    @model_validator(mode="after")
    def _nodes_are_distinct(self) -> "FabricDocument":
        seen: dict[int, str] = {}
        for i, node in enumerate(self.nodes):
            if node.guid is None:
                continue
            if node.guid in seen:
                other = seen[node.guid]
                sentence = f"GUID 0x{node.guid:016x} of '{node.name}' is also that of '{other}'; each is unique"
                raise misplaced(sentence, *self._place(i))
            seen[node.guid] = node.name
        return self

    @model_validator(mode="after")
    def _lids_are_distinct(self) -> "FabricDocument":
        """Within a subnet: rails and planes count theirs alike."""
        owners: dict[int, list[tuple[int, int]]] = {}
        for i, node in enumerate(self.nodes):
            for port, lid in node.lid_of_port.items():
                owners.setdefault(lid, []).append((i, port))
        if all(len(ends) == 1 for ends in owners.values()):
            return self
        try:
            subnets = self.subnets
        except ValueError:  # another validator has a sentence about such links
            return self
        for lid, ends in owners.items():
            seen: dict[int | None, str] = {}
            for i, port in ends:
                name, subnet = self.nodes[i].name, subnets.get(End(i, port))
                if subnet in seen:
                    sentence = f"LID {lid} of '{name}' is also that of '{seen[subnet]}'; each is unique in a subnet"
                    raise misplaced(sentence, *self._place(i))
                seen[subnet] = name
        return self

    def _place(self, node: int) -> tuple[str, int]:
        """Where a node stands in the document."""
        return ("switches", node) if node < len(self.switches) else ("hosts", node - len(self.switches))

    @model_validator(mode="after")
    def _links_fit(self) -> "FabricDocument":
        nodes = NodeNames(self)
        used: dict[End, Link] = {}
        for i, link in enumerate(self.links):
            ends: list[End] = []
            for key in ("a", "b"):
                text: str = getattr(link, key)
                try:
                    end = nodes.end(text)
                except ValueError as error:
                    raise misplaced(str(error), "links", i, key) from error
                if end in used:
                    where = f"port {end.port} of '{self.nodes[end.node].name}'"
                    sentence = f"{where} is used twice: by the links {_ends(used[end])} and {_ends(link)}"
                    raise misplaced(sentence, "links", i, key)
                used[end] = link
                ends.append(end)
            if ends[0].node == ends[1].node:
                raise misplaced(f"the link {_ends(link)} joins a node with itself; a link joins two nodes", "links", i)
        return self

    @model_validator(mode="after")
    def _service_levels_fit(self) -> "FabricDocument":
        nodes = NodeNames(self)
        for key, tables in (("sl_to_vl", self.sl_to_vl), ("vl_arbitration", self.vl_arbitration)):
            overrides: Sequence[SlToVlOverride | VlArbitrationOverride] = () if tables is None else tables.overrides
            for i, override in enumerate(overrides):
                try:
                    node = nodes.node(override.node)
                except ValueError as error:
                    raise misplaced(str(error), key, "overrides", i, "node") from error
                n_ports = self.nodes[node].ports
                for name in ("in_port", "out_port", "port"):
                    port = getattr(override, name, None)
                    if port is not None and port > n_ports:
                        sentence = f"port {port} of '{override.node}' does not exist; it has ports 1 to {n_ports}"
                        raise misplaced(sentence, key, "overrides", i, name)
        return self

    @model_validator(mode="after")
    def _roots_are_switches(self) -> "FabricDocument":
        if self.roots and self.routing != "updown":
            raise misplaced(f"roots are for the routing updown; this fabric's routing is {self.routing}", "roots")
        if not self.roots:
            return self
        nodes = NodeNames(self)
        for i, root in enumerate(self.roots):
            try:
                nodes.switch(root)
            except ValueError as error:
                raise misplaced(str(error), "roots", i) from error
        return self

    @model_validator(mode="after")
    def _rows_are_of_nodes(self) -> "FabricDocument":
        sections: dict[str, Sequence[NodeRow]] = {"hardware": self.hardware, "congestion_control": self.congestion_control}
        nodes = NodeNames(self) if any(row.nodes for rows in sections.values() for row in rows) else None
        for section, rows in sections.items():
            for i, row in enumerate(rows):
                for k, name in enumerate(row.nodes):
                    try:
                        assert nodes is not None
                        nodes.node(name)
                    except ValueError as error:
                        raise misplaced(str(error), section, i, "nodes", k) from error
        return self

    @model_validator(mode="after")
    def _host_models_fit(self) -> "FabricDocument":
        assert self._host_models is not None  # raises
        return self

    @model_validator(mode="after")
    def _lfts_fit(self) -> "FabricDocument":
        if not self.lfts:
            return self
        nodes = NodeNames(self)
        for name, table in self.lfts.items():
            try:
                sentence = lft.complaint(table, self.nodes[nodes.switch(name)].ports)
            except ValueError as error:
                raise misplaced(str(error), "lfts", name) from error
            if sentence:
                raise misplaced(f"forwarding table of '{name}': {sentence}", "lfts", name)
        return self

    @model_validator(mode="after")
    def _model_is_known(self) -> "FabricDocument":
        model = ccsim.Model()
        for path, value in in_order(self.model):
            try:
                set_parameter(model, path, value)
            except BadInputError as error:
                raise misplaced(error.sentence, "model", *path.split(".")) from error
        try:
            validate_model(model, self.mtu_bytes)
        except BadInputError as error:
            raise misplaced(error.sentence, *error.sentence.split(" ")[0].split(".")) from error
        return self


class NodeNames:
    """Finds nodes by what documents call them: a unique description, or `guid:0x…`."""

    def __init__(self, document: FabricDocument) -> None:
        self._document = document
        self._by_name: dict[str, list[int]] = {}
        self._by_guid: dict[int, int] = {}
        for i, node in enumerate(document.nodes):
            self._by_name.setdefault(node.name, []).append(i)
            self._by_guid[document.guid_of(i)] = i

    def node(self, reference: str) -> int:
        """The node's number. Raises ValueError with a sentence."""
        if reference.startswith("guid:"):
            guid = _HEXADECIMAL.fullmatch(reference[5:])
            node = self._by_guid.get(int(guid[0], 16)) if guid else None
            if node is None:
                raise ValueError(f"'{reference}' is not the GUID of a node of this fabric")
            return node
        matches = self._by_name.get(reference, [])
        if not matches:
            raise ValueError(unknown_name("node", reference, list(self._by_name), MOST_HOSTS))
        if len(matches) > 1:
            candidates = listed([f"guid:0x{self._document.guid_of(i):016x}" for i in matches])
            raise ValueError(f"'{reference}' is the description of {len(matches)} nodes; use one of {candidates}")
        return matches[0]

    def switch(self, reference: str) -> int:
        """The switch's number. Raises ValueError with a sentence."""
        node = self.node(reference)
        if node >= len(self._document.switches):
            raise ValueError(f"'{reference}' is not a switch")
        return node

    def end(self, text: str) -> End:
        """The node and port of `NODE/PORT`. Raises ValueError with a sentence."""
        reference, slash, port = text.rpartition("/")
        if not slash or not port.isascii() or not port.isdigit():
            raise ValueError(f"'{text}' is not NODE/PORT, such as S1/19")
        node = self.node(reference)
        n_ports = self._document.nodes[node].ports
        if not 1 <= int(port) <= n_ports:
            raise ValueError(f"port {port} of '{reference}' does not exist; it has ports 1 to {n_ports}")
        return End(node, int(port))


def load_fabric(path_or_name: str | os.PathLike[str]) -> FabricDocument:
    """Reads a fabric by path or by the name of a packaged one. Raises BadInputError."""
    document = read_document(catalogue.find("fabric", path_or_name))
    fabric = validate(FabricDocument, document)
    # Only those of the document's lines are kept that errors may need later: a large fabric's document takes more memory than the
    # fabric.
    lines = {place: line for place, line in document.lines.items() if place[:1] == ("forwarding",)}
    fabric._origin = Origin(Document(document.source, None, lines))
    return fabric


def _given_guids(node: Switch | Host) -> Iterator[int]:
    """Those that the document writes for a node and its ports, and those that follow for ports without one."""
    if node.guid is not None:
        yield from (node.guid, node.guid + node.ports)
    if isinstance(node, Host):
        yield from (guid for guid in (node.port_guid, *(endport.guid for endport in node.endports)) if guid is not None)


def _ends(link: Link) -> str:
    return f"{link.a} - {link.b}"


DOCUMENTS.add("fabric", FabricDocument)
