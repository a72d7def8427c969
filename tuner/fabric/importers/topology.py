# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts shared by formats that describe a fabric node by node: nodes with ports, and each link written twice, from either side.

The reader of a format fills a Topology row by row; the Topology makes a document of what fits together. Odd rows are remarks
(remarks.py): of a strict topology the first is an error with its line, of others each sound row is kept.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Generic, Literal, NamedTuple, TypeAlias, TypeVar, cast

import ccsim
from tuner.document_base.model import build_model
from tuner.documents.congestion_control import Dialect
from tuner.documents.fabric import FabricDocument, Host, HostPort, Link, Switch
from tuner.documents.subnets import Joined
from tuner.errors import BadInputError
from tuner.fabric.importers.assumed_rates import assumed_rate
from tuner.fabric.importers.congestion_control import Traits, guessed_rows
from tuner.fabric.importers.progress import LINES_APART, watcher
from tuner.fabric.importers.remarks import Odd, Remarks

AGGREGATION_NODE = "Mellanox Technologies Aggregation Node"
"""The description of the adapter inside a switch that reduces data (SHARP)."""

MAX_LINE = 1000
"""Characters of a line. A description has 64 at most, so lines are far shorter; up to here, patterns are fast."""
MAX_PORTS = 254
MAX_LID = 0xBFFF
NO_LIDS = (0, 0xFFFF)
"""What stands for a LID that a port does not have (yet)."""

Kind: TypeAlias = Literal["switch", "host", "aggregation", "router"]


@dataclass
class Port:
    """A port as its own node's section has it, and what that says about the other end."""

    line: int
    peer: tuple[str, int]
    """Id of the node at the other end, and its port."""
    guid: int | None = None
    lid: int | None = None
    rate: str | None = None
    """Width and speed, such as 4xNDR; None: not known at this end."""
    width: str | None = None
    """Width where it alone is known, such as 4x."""
    peer_name: str | None = None
    peer_lid: int | None = None
    peer_guid: int | None = None
    """Port GUID of the other end."""


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
    dialect: Dialect | None = None
    """Congestion control that it has told itself; None: it must be guessed."""


class _Cable(NamedTuple, Generic[P]):
    """A link that is taken, from the side whose row comes first."""

    node: Node[P]
    number: int
    port: P
    peer: Node[P]
    back: P


class Topology(Generic[P]):
    """The nodes of a text, checked against each other."""

    def __init__(self, source: str, *, strict: bool = False) -> None:
        self.source = source
        self.nodes: dict[str, Node[P]] = {}
        self.notes: list[str] = []
        self.remarks = Remarks(source, strict)
        self._missing: list[Node[P]] = []
        """Nodes that are known by their neighbors' rows alone."""
        self._shared: dict[tuple[str, int], str] = {}
        """Ports that stand at two places, as those of two devices with one GUID do, and a sentence of each."""

    def link_rate(self, a: Node[P], a_port: P, b: Node[P], b_port: P) -> str | None:
        """Width and speed of a link, such as 4xNDR, by its two sides; None if neither knows."""
        ours, theirs = a_port.rate, b_port.rate
        if ours == theirs:
            return ours
        there = f"port {a_port.peer[1]} of '{b.name}'"
        if ours is None or theirs is None:
            sentence = f"the rate of the link to {there} is not known at one end; write what it is, such as 4xNDR, at both"
            self.remarks.add(Odd.RATE_ONE_END, sentence, a_port.line if ours is None else b_port.line)
            return ours or theirs
        sentence = f"the rate of {there} is '{ours}' here, but line {b_port.line} has '{theirs}'"
        self.remarks.add(Odd.RATE_LOWER, sentence, a_port.line)
        return min(ours, theirs, key=ccsim.link_data_gbps)

    def mentioned(self, port: P) -> Node[P] | None:
        """Returns the node at a port's other end, which has no section, as far as the port's row tells it."""
        return None

    def add_node(self, node: Node[P]) -> Node[P]:
        """Returns the node that is to have the ports that follow: the first of its id."""
        if (first := self.nodes.get(node.id)) is not None:
            sentence = f"node {node.id} has a second section; the first is on line {first.line}"
            self.remarks.add(Odd.NODE_TWICE, sentence, node.line)
            return first
        if not 1 <= node.n_ports <= MAX_PORTS:
            sentence = f"'{node.name}' has {node.n_ports} ports; a node has from 1 to {MAX_PORTS}"
            self.remarks.add(Odd.PORT_COUNT, sentence, node.line)
            node.n_ports = max(1, min(node.n_ports, MAX_PORTS))
        node.guid, node.lid = self.possible(node.guid, node.lid, node.name, node.line)
        self.nodes[node.id] = node
        return node

    def add_port(self, node: Node[P] | None, number: int, port: P) -> None:
        if node is None:
            self.remarks.add(Odd.OUTSIDE, f"port {number} stands outside a node's section", port.line)
        elif number in node.ports:
            first = node.ports[number]
            if not self.remarks.strict and node.kind != "switch" and first.peer != port.peer:
                self._share(node, number, first.peer, port.peer, port.line)
                return
            sentence = f"port {number} of '{node.name}' is given twice; the first is on line {first.line}"
            self.remarks.add(Odd.PORT_TWICE, sentence, port.line)
        elif self._has_port(node, number, port.line):
            port.guid, port.lid = self.possible(port.guid, port.lid, node.name, port.line)
            node.ports[number] = port

    def document(self, name: str, mtu_bytes: int) -> FabricDocument:
        """Raises BadInputError if nothing is left, and, of a strict topology, where the two sides of a link disagree."""
        if not self.nodes:
            raise BadInputError("holds no node of a fabric", source=self.source)
        cables = list(self._cables())
        self._make_distinct(cables)
        nodes = list(self.nodes.values())
        names = Counter(node.name for node in nodes)
        links = self._links(cables, names)
        traits = [Traits(n.id, n.kind, n.name, n.vendor_id, n.device_id, self.rates(n), n.dialect) for n in nodes]
        rows, sentence = guessed_rows(traits, lambda node_id: self._reference(self.nodes[node_id], names))
        if sentence is not None:
            self.notes.append(sentence)
        values = {
            "ibcc_fabric": 1,
            "name": name,
            "mtu_bytes": mtu_bytes,
            "incomplete": self.incomplete(),
            "switches": tuple(
                Switch(name=node.name, guid=node.guid, lid=node.lid, ports=node.n_ports)
                for node in nodes
                if node.kind == "switch"
            ),
            "hosts": tuple(_host(node) for node in nodes if node.kind != "switch"),
            "links": links,
            "congestion_control": rows,
        }
        return build_model(FabricDocument, values, source=self.source)

    def odd_line(self, line: int, content: str, program: str) -> None:
        """A line that is no row of the program: a warning that a query failed, or anything else."""
        if _FAILED.search(content):
            self.remarks.add(Odd.TIMED_OUT, f"says that a query failed: '{content[:60]}'", line)
        else:
            self.remarks.add(Odd.LINE, f"'{content[:40]}' is no line of {program}", line)

    def incomplete(self) -> str | None:
        """Returns why parts of the fabric may be missing, as a sentence without a subject; None if nothing says so."""
        reasons = []
        if count := self.remarks.count(Odd.TIMED_OUT):
            what = "1 query of the discovery failed" if count == 1 else f"{count:,} queries of the discovery failed"
            first = f"line {self.remarks.first_line(Odd.TIMED_OUT)}"
            reasons.append(f"{what} ({first})" if count == 1 else f"{what} (the first on {first})")
        if self._missing:
            what = "1 node has" if len(self._missing) == 1 else f"{len(self._missing):,} nodes have"
            reasons.append(f"{what} no section, the first is '{self._missing[0].name[:60]}'")
        if self._shared:
            more = "" if len(self._shared) == 1 else f"; there are {len(self._shared) - 1:,} more such ports"
            reasons.append(f"{next(iter(self._shared.values()))}{more}")
        return "; ".join(reasons) or None

    def rates(self, node: Node[P]) -> tuple[str, ...]:
        """The rates of a node's links, where they show what its ports can do."""
        return ()

    def _links(self, cables: list[_Cable[P]], names: Counter[str]) -> tuple[Link, ...]:
        known = [self.link_rate(cable.node, cable.port, cable.peer, cable.back) for cable in cables]
        usual = Counter((_between(cable), rate) for cable, rate in zip(cables, known, strict=True) if rate is not None)
        links = []
        for cable, rate in zip(cables, known, strict=True):
            if rate is None:
                width = cable.port.width or cable.back.width
                devices = [(node.vendor_id, node.device_id) for node in (cable.node, cable.peer)]
                rate = assumed_rate(usual, _between(cable), width, devices)
                sentence = f"the rate of port {cable.number} of '{cable.node.name}' is not known at either end of its link"
                self.remarks.add(Odd.RATE_ASSUMED, f"{sentence}; write what it is, such as 4xNDR, at both", cable.port.line)
            a = f"{self._reference(cable.node, names)}/{cable.number}"
            links.append(Link(a=a, b=f"{self._reference(cable.peer, names)}/{cable.port.peer[1]}", rate=rate))
        return tuple(links)

    def _cables(self) -> Iterator[_Cable[P]]:
        """Every link once, in the text's order. Rows that agree come first: what contradicts them is left out."""
        for node in list(self.nodes.values()):
            for port in node.ports.values():
                if port.peer[0] not in self.nodes:
                    self._add_mentioned(port)
        rows = [(node, number, port) for node in self.nodes.values() for number, port in sorted(node.ports.items())]
        taken = {(node.id, number) for node, number, port in rows if self._is_agreed(node, number, port)}
        written: set[tuple[str, int]] = set()
        for node, number, port in rows:
            end = (node.id, number)
            peer = self.nodes.get(port.peer[0])
            if end in written or peer is None:
                continue
            if not self._is_agreed(node, number, port):
                there = f"port {port.peer[1]} of '{peer.name}'"
                back = peer.ports.get(port.peer[1])
                if end in taken or port.peer in taken or end == port.peer or back is not None:
                    self._contradiction(node, number, port, peer, back)
                    if end in taken or port.peer in taken or end == port.peer:
                        continue
                else:
                    sentence = f"port {number} of '{node.name}' is linked to {there}, which has no line in its own section"
                    self.remarks.add(Odd.ONE_SIDE, sentence, port.line)
                    if not self._has_port(peer, port.peer[1], port.line):
                        continue
                    self.add_port(peer, port.peer[1], cast(P, seen_from(node, number, port)))  # no strict format comes here
                taken |= {end, port.peer}
            written |= {end, port.peer}
            back = peer.ports[port.peer[1]]
            if peer is node:
                sentence = f"ports {number} and {port.peer[1]} of '{node.name}' are joined by a cable"
                self.remarks.add(Odd.LOOP, sentence, port.line)
                continue
            self._compare(port, peer, back)
            self._compare(back, node, port)
            yield _Cable(node, number, port, peer, back)

    def _is_agreed(self, node: Node[P], number: int, port: P) -> bool:
        """Whether the other end says the same."""
        peer = self.nodes.get(port.peer[0])
        back = None if peer is None else peer.ports.get(port.peer[1])
        return back is not None and back.peer == (node.id, number) and port.peer != (node.id, number)

    def _add_mentioned(self, port: P) -> None:
        node = self.mentioned(port)
        sentence = f"{_described(port)} has no section; is the file cut short?"
        self.remarks.add(Odd.NO_NODE if node is None else Odd.NO_SECTION, sentence, port.line)
        if node is not None:
            self._missing.append(self.add_node(node))

    def _contradiction(self, node: Node[P], number: int, port: P, peer: Node[P], back: P | None) -> None:
        here, there = f"port {number} of '{node.name}'", f"port {port.peer[1]} of '{peer.name}'"
        holder = None if back is None else self.nodes.get(back.peer[0])
        if back is not None and holder is not None and node.kind == holder.kind == "switch" != peer.kind:
            held = holder.ports.get(back.peer[1])
            if held is not None and held.peer == port.peer and not self.remarks.strict:
                self._share(peer, port.peer[1], back.peer, (node.id, number), port.line)
                return
        sentence = f"{here} is linked to {there}, which another row links"
        if back is not None:
            known = self.nodes.get(back.peer[0])
            other = f"port {back.peer[1]} of " + (f"'{known.name}'" if known else _described(back))
            sentence = f"{here} is linked to {there}, but line {back.line} links that to {other}"
        self.remarks.add(Odd.ENDS_DIFFER, sentence, port.line)

    def _share(self, node: Node[P], number: int, first: tuple[str, int], second: tuple[str, int], line: int) -> None:
        """Notes that a port of an adapter is at two places, once however often rows say so."""
        if (node.id, number) in self._shared:
            return
        places = []
        for end_id, end_port in (first, second):
            end = self.nodes.get(end_id)
            places.append(f"at port {end_port} of '{end_id if end is None else end.name}'")
        guid = "an unknown GUID" if node.guid is None else f"the GUID 0x{node.guid:016x}"
        sentence = f"port {number} of '{node.name}' is {' and '.join(places)}: two devices have {guid}, and one is left out"
        self._shared[node.id, number] = sentence
        self.remarks.add(Odd.GUID_SHARED, sentence, line)

    def _compare(self, port: P, peer: Node[P], back: P) -> None:
        """Remarks about what a row says of its other end; what that says itself holds, and the row fills what it does not say."""
        there = f"port {port.peer[1]} of '{peer.name}'"
        if port.peer_name is not None and port.peer_name != peer.name:
            sentence = f"the name of {there} is '{port.peer_name}' here, but line {peer.line} has '{peer.name}'"
            self.remarks.add(Odd.NAME, sentence, port.line)
        if port.peer_guid and peer.kind != "switch":
            if back.guid is None:
                back.guid = port.peer_guid
            elif back.guid != port.peer_guid:
                shown = f"'0x{port.peer_guid:016x}' here, but line {back.line} has '0x{back.guid:016x}'"
                self.remarks.add(Odd.PORT_GUID, f"the port GUID of {there} is {shown}", port.line)
        own = peer.lid if peer.kind == "switch" else back.lid
        lid = None if port.peer_lid in NO_LIDS else port.peer_lid
        if lid is not None and own is not None and own != lid:
            sentence = f"the LID of {there} is '{lid}' here, but line {back.line} has '{own}'"
            self.remarks.add(Odd.PORT_LID, sentence, port.line)
        elif lid is not None and own is None and lid <= MAX_LID:
            if peer.kind == "switch":
                peer.lid = lid
            else:
                back.lid = lid

    def _make_distinct(self, cables: list[_Cable[P]]) -> None:
        """GUIDs that another node has, and LIDs that another port of the subnet has, are none."""
        nodes = list(self.nodes.values())
        guids: dict[int, Node[P]] = {}
        names: dict[str, int] = Counter(node.name for node in nodes)
        for node in nodes:
            if node.guid is not None and (first := guids.setdefault(node.guid, node)) is not node:
                sentence = f"GUID 0x{node.guid:016x} of '{node.name}' is also that of '{first.name}'; each is unique"
                self.remarks.add(Odd.GUID_TWICE, sentence, node.line)
                node.guid = None
            if node.guid is None and not self.remarks.strict and (names[node.name] > 1 or node.name.startswith("guid:")):
                node.name = f"{node.name[:40]} ({node.id[:20]})"
        subnets: Joined[tuple[str, int]] = Joined()
        for cable in cables:
            subnets.join(_in_subnet(cable.node, cable.number), _in_subnet(cable.peer, cable.port.peer[1]))
        lids: dict[tuple[tuple[str, int], int], str] = {}
        for node in nodes:
            holders: list[tuple[int, Node[P] | P]] = [(0, node)] if node.kind == "switch" else list(node.ports.items())
            for number, holder in holders:
                if holder.lid is None:
                    continue
                key = (subnets.root(_in_subnet(node, number)), holder.lid)
                if key in lids:
                    sentence = f"LID {holder.lid} of '{node.name}' is also that of '{lids[key]}'; each is unique in a subnet"
                    self.remarks.add(Odd.LID_TWICE, sentence, holder.line)
                    holder.lid = None
                else:
                    lids[key] = node.name

    def _has_port(self, node: Node[P], number: int, line: int) -> bool:
        if number > MAX_PORTS:
            self.remarks.add(Odd.PORT_NUMBER, f"'{node.name}' has port {number}; a node has from 1 to {MAX_PORTS}", line)
            return False
        if 1 <= number <= node.n_ports:
            return True
        sentence = f"port {number} of '{node.name}' does not exist; its header says {node.n_ports} ports"
        self.remarks.add(Odd.PORT_NUMBER, sentence, line)
        node.n_ports = max(node.n_ports, number)
        return number > 0

    def _reference(self, node: Node[P], names: Counter[str]) -> str:
        if names[node.name] == 1 and not node.name.startswith("guid:"):
            return node.name
        if node.guid is None:
            raise self.error(f"there are several nodes like '{node.name}', and this one has no GUID to distinguish it", node.line)
        return f"guid:0x{node.guid:016x}"

    def possible(self, guid: int | None, lid: int | None, name: str, line: int) -> tuple[int | None, int | None]:
        if guid == 0:
            self.remarks.add(Odd.GUID, f"'{name}' has the GUID 0, which is none", line)
            guid = None
        if lid in NO_LIDS:
            lid = None
        if lid is not None and lid > MAX_LID:
            self.remarks.add(Odd.LID, f"LID {lid} of '{name}' is not that of one port; those end at {MAX_LID}", line)
            lid = None
        return guid, lid

    def error(self, sentence: str, line: int) -> BadInputError:
        return BadInputError(sentence, source=self.source, line=line)


def numbered_lines(
    text: str, source: str, remarks: Remarks | None = None, *, longest: int = MAX_LINE
) -> Iterator[tuple[int, str]]:
    """The lines from 1, without their ends; of several empty ones in a row, the last. Only newlines part them: descriptions may
    hold what Unicode takes for line ends too. Lines are cut off one by one, since a list of all would take more memory than the
    text.

    A line of more than `longest` characters is a remark, or, without `remarks`, a BadInputError.
    """
    on_fraction = watcher()
    start, number, told = 0, 1, 0
    while start <= len(text):
        end = text.find("\n", start)
        end = len(text) if end < 0 else end
        if end - start > longest:
            sentence = f"is a line of {end - start} characters; {longest} are the most"
            if remarks is None:
                raise BadInputError(sentence, source=source, line=number)
            remarks.add(Odd.LONG_LINE, sentence, number)
        elif end == start and (empty := _EMPTY_LINES.match(text, start)):
            number += empty.end() - start - 1
            end = empty.end() - 1
            yield number, ""
        else:
            yield number, text[start:end].rstrip("\r")
        start, number = end + 1, number + 1
        if on_fraction is not None and number >= told + LINES_APART:
            told = number
            on_fraction(start / len(text))


_FAILED = re.compile(r"\bbad status\b|time[ds]?[ -]?out|\b(query|queries|request|mad)\b.*\bfail", re.IGNORECASE)
"""Warnings of a discovery that did not reach a device, which stand among the rows where both outputs go to one file."""
_EMPTY_LINES = re.compile("\n\n+")


def _between(cable: _Cable[P]) -> bool:
    """Whether a cable joins two switches."""
    return cable.node.kind == cable.peer.kind == "switch"


def _in_subnet(node: Node[P], number: int) -> tuple[str, int]:
    return (node.id, 0 if node.kind == "switch" else number)


def seen_from(node: Node[P], number: int, port: P) -> Port:
    """The port at the other end, as this end's row shows it."""
    return Port(
        line=port.line,
        peer=(node.id, number),
        guid=port.peer_guid,
        lid=port.peer_lid,
        rate=port.rate,
        width=port.width,
        peer_name=node.name,
        peer_lid=node.lid or port.lid,
        peer_guid=port.guid,
    )


def _described(port: Port) -> str:
    return f"'{port.peer[0]}'" if port.peer_name in (None, port.peer[0]) else f"'{port.peer_name}' ({port.peer[0]})"


def _host(node: Node[P]) -> Host:
    assert node.kind != "switch"
    if node.n_ports == 1 and len(node.ports) == 1:
        (port,) = node.ports.values()
        port_guid = None if port.guid == node.guid else port.guid
        return Host(name=node.name, kind=node.kind, guid=node.guid, lid=port.lid, port_guid=port_guid)
    endports = tuple(HostPort(port=i, guid=port.guid, lid=port.lid) for i, port in sorted(node.ports.items()))
    return Host(name=node.name, kind=node.kind, guid=node.guid, ports=node.n_ports, endports=endports)
