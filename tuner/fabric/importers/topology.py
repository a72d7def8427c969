# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts shared by formats that describe a fabric node by node: nodes with ports, and each link written twice, from either side.

The reader of a format fills a Topology line by line; the Topology checks that what it is given fits together and makes a document
of it. Every error has the line it is about.
"""

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Literal, TypeAlias, TypeVar

from tuner.document_base.model import build_model
from tuner.documents.fabric import FabricDocument, Host, HostPort, Link, Switch
from tuner.errors import BadInputError
from tuner.fabric.importers.congestion_control import Traits, guessed_rows
from tuner.fabric.importers.progress import LINES_APART, watcher

AGGREGATION_NODE = "Mellanox Technologies Aggregation Node"
"""The description of the adapter inside a switch that reduces data (SHARP)."""

MAX_LINE = 1000
"""Characters of a line. A description has 64 at most, so lines are far shorter; up to here, patterns are fast."""
MAX_PORTS = 254
MAX_LID = 0xBFFF

Kind: TypeAlias = Literal["switch", "host", "aggregation", "router"]


@dataclass
class Port:
    """A port as its own node's section has it."""

    line: int
    peer: tuple[str, int]
    """Id of the node at the other end, and its port."""
    guid: int | None = None
    lid: int | None = None


P = TypeVar("P", bound=Port)


@dataclass
class Node(Generic[P]):
    id: str
    """Identifier of the node in the format; unique."""
    kind: Kind
    name: str
    line: int
    n_ports: int
    guid: int | None
    lid: int | None = None
    ports: dict[int, P] = field(default_factory=dict)
    vendor_id: int | None = None
    device_id: int | None = None


class Topology(ABC, Generic[P]):
    """The nodes of a text, checked against each other. A format says in `rate` what its two sides of a link make of it."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.nodes: dict[str, Node[P]] = {}
        self.notes: list[str] = []

    @abstractmethod
    def rate(self, a: Node[P], a_port: P, b: Node[P], b_port: P) -> str:
        """Width and speed of a link, such as 4xNDR, by its two sides; raises BadInputError if they do not agree."""

    def add_node(self, node: Node[P]) -> Node[P]:
        if node.id in self.nodes:
            first = self.nodes[node.id].line
            raise self.error(f"node {node.id} has a second section; the first is on line {first}", node.line)
        if not 1 <= node.n_ports <= MAX_PORTS:
            raise self.error(f"'{node.name}' has {node.n_ports} ports; a node has from 1 to {MAX_PORTS}", node.line)
        self._require_possible(node.guid, node.lid, node.name, node.line)
        self.nodes[node.id] = node
        return node

    def add_port(self, node: Node[P] | None, number: int, port: P) -> None:
        if node is None:
            raise self.error(f"port {number} stands outside a node's section", port.line)
        if number in node.ports:
            first = node.ports[number].line
            raise self.error(f"port {number} of '{node.name}' is given twice; the first is on line {first}", port.line)
        if number > MAX_PORTS:
            raise self.error(f"'{node.name}' has port {number}; a node has from 1 to {MAX_PORTS}", port.line)
        if not 1 <= number <= node.n_ports:
            raise self.error(f"port {number} of '{node.name}' does not exist; its header says {node.n_ports} ports", port.line)
        self._require_possible(port.guid, port.lid, node.name, port.line)
        node.ports[number] = port

    def document(self, name: str, mtu_bytes: int) -> FabricDocument:
        """Raises BadInputError where the two sides of a link disagree, or if the whole is not a fabric."""
        nodes = self.nodes.values()
        links = tuple(self._links())
        names = Counter(node.name for node in nodes)
        traits = [Traits(n.id, n.kind, n.name, n.vendor_id, n.device_id, self.rates(n)) for n in nodes]
        rows, sentence = guessed_rows(traits, lambda node_id: self._reference(self.nodes[node_id], names))
        if sentence is not None:
            self.notes.append(sentence)
        values = {
            "ibcc_fabric": 1,
            "name": name,
            "mtu_bytes": mtu_bytes,
            "switches": tuple(
                Switch(name=node.name, guid=node.guid, lid=node.lid or None, ports=node.n_ports)
                for node in nodes
                if node.kind == "switch"
            ),
            "hosts": tuple(_host(node) for node in nodes if node.kind != "switch"),
            "links": links,
            "congestion_control": rows,
        }
        return build_model(FabricDocument, values, source=self.source)

    def rates(self, node: Node[P]) -> tuple[str, ...]:
        """The rates of a node's links, where they show what its ports can do."""
        return ()

    def _links(self) -> Iterator[Link]:
        """Every link once, in the text's order."""
        names = Counter(node.name for node in self.nodes.values())
        written: set[frozenset[tuple[str, int]]] = set()
        for node in self.nodes.values():
            for number, port in sorted(node.ports.items()):
                peer, back = self._other_side(node, number, port)
                rate = self.rate(node, port, peer, back)
                if (link := frozenset({(node.id, number), port.peer})) in written:
                    continue
                written.add(link)
                if peer is node:
                    self.notes.append(f"the cable between ports {number} and {port.peer[1]} of '{node.name}' was left out")
                    continue
                yield Link(a=self._end(node, number, names), b=self._end(peer, port.peer[1], names), rate=rate)

    def _other_side(self, node: Node[P], number: int, port: P) -> tuple[Node[P], P]:
        peer = self.nodes.get(port.peer[0])
        if peer is None:
            raise self.error(f"{self.describe(port)} has no section; is the file cut short?", port.line)
        here, there = f"port {number} of '{node.name}'", f"port {port.peer[1]} of '{peer.name}'"
        back = peer.ports.get(port.peer[1])
        if back is None:
            raise self.error(f"{here} is linked to {there}, which has no line in its own section", port.line)
        if back.peer != (node.id, number):
            known = self.nodes.get(back.peer[0])
            other = f"port {back.peer[1]} of " + (f"'{known.name}'" if known else self.describe(back))
            raise self.error(f"{here} is linked to {there}, but line {back.line} links that to {other}", port.line)
        return peer, back

    def describe(self, port: P) -> str:
        """Returns a name for the node at a port's other end if that node has no section."""
        return f"'{port.peer[0]}'"

    def _end(self, node: Node[P], port: int, names: Counter[str]) -> str:
        return f"{self._reference(node, names)}/{port}"

    def _reference(self, node: Node[P], names: Counter[str]) -> str:
        if names[node.name] == 1 and not node.name.startswith("guid:"):
            return node.name
        if node.guid is None:
            raise self.error(f"there are several nodes like '{node.name}', and this one has no GUID to distinguish it", node.line)
        return f"guid:0x{node.guid:016x}"

    def _require_possible(self, guid: int | None, lid: int | None, name: str, line: int) -> None:
        if guid == 0:
            raise self.error(f"'{name}' has the GUID 0, which is none", line)
        if lid is not None and lid > MAX_LID:
            raise self.error(f"LID {lid} of '{name}' is not that of one port; those end at {MAX_LID}", line)

    def error(self, sentence: str, line: int) -> BadInputError:
        return BadInputError(sentence, source=self.source, line=line)


def numbered_lines(text: str, source: str) -> Iterator[tuple[int, str]]:
    """The lines from 1, without their ends. Only newlines part them: descriptions may hold what Unicode takes for line ends too.
    Lines are cut off one by one, since a list of all would take more memory than the text.

    Raises BadInputError for a line that is too long for any of the formats.
    """
    on_fraction = watcher()
    start, number = 0, 1
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > MAX_LINE:
            sentence = f"is a line of {end - start} characters; {MAX_LINE} are the most"
            raise BadInputError(sentence, source=source, line=number)
        yield number, text[start:end].rstrip("\r")
        start, number = end + 1, number + 1
        if on_fraction is not None and number % LINES_APART == 0:
            on_fraction(start / len(text))


def _host(node: Node[P]) -> Host:
    assert node.kind != "switch"
    if node.n_ports == 1 and len(node.ports) == 1:
        (port,) = node.ports.values()
        port_guid = None if port.guid == node.guid else port.guid
        return Host(name=node.name, kind=node.kind, guid=node.guid, lid=port.lid or None, port_guid=port_guid)
    endports = tuple(HostPort(port=i, guid=port.guid, lid=port.lid or None) for i, port in sorted(node.ports.items()))
    return Host(name=node.name, kind=node.kind, guid=node.guid, ports=node.n_ports, endports=endports)
