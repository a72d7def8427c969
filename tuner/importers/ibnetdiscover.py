# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports what `ibnetdiscover` of infiniband-diags prints.

The text has a section for each node: a few `key=value` lines, a header, and a line for each connected port.

    Switch  65 "S-2c5eab0300b87b40"         # "leaf 4" enhanced port 0 lid 73 lmc 0
    [1]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd8)       # "host 1" lid 647 4xNDR
    Ca      1 "H-e09d7303007a4bd8"          # "host 1"
    [1](e09d7303007a4bd8)   "S-2c5eab0300b87b40"[1]         # lid 647 lmc 0 "leaf 4" lid 73 4xNDR

So every link stands in it twice, once from each side; the two must agree. The letter of a node's id is its type: S a switch, H a
channel adapter, R a router. The text does not hold the MTU.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

import ccsim
from tuner.documents.fabric import FabricDocument, Host, HostPort, Link, Switch
from tuner.documents.model import build_model
from tuner.errors import BadInputError
from tuner.importers.base import IMPORTERS, Imported

AGGREGATION_NODE = "Mellanox Technologies Aggregation Node"
"""The description of the adapter inside a switch that reduces data (SHARP)."""

_ID = r'"(?P<id>[SHR]-[0-9a-f]{1,16})"'
_HEADER = re.compile(rf'(?P<word>Switch|Ca|Rt)\s+(?P<ports>\d+)\s+{_ID}\s*#\s*"(?P<name>.*)"(?:.*\bport 0 lid (?P<lid>\d+))?.*')
_PORT = re.compile(
    r"\[(?P<port>\d+)\](?:\[ext \d+\])?(?:\((?P<guid>[0-9a-f]+)\))?\s+"
    rf"{_ID}\[(?P<peer_port>\d+)\](?:\[ext \d+\])?\s*(?:\((?P<peer_guid>[0-9a-f]+)\))?\s*"
    r'#(?:\s*lid (?P<lid>\d+) lmc \d+)?\s*"(?P<peer_name>.*)"\s+lid (?P<peer_lid>\d+)\s+(?P<rate>\d+x[A-Z0-9?]+).*'
)
_LETTER = {"Switch": "S", "Ca": "H", "Rt": "R"}
_OTHER = re.compile(r"#|\w+=|Chassis |Non-Chassis |Spine |Line |Switches|DR path")  # of no interest here
_MENTIONED = re.compile(r"^(Switch|Ca|Rt)\s+\d+\s+\"[SHR]-", re.MULTILINE)


@dataclass
class _Port:
    """A port as its own node's section has it."""

    line: int
    peer: tuple[str, int]
    rate: str
    peer_name: str
    peer_lid: int
    guid: int | None
    lid: int | None
    peer_guid: int | None


@dataclass
class _Node:
    id: str
    name: str
    line: int
    n_ports: int
    lid: int | None
    ports: dict[int, _Port] = field(default_factory=dict)


class IbNetDiscover:
    """The importer; see the module's text."""

    name = "ibnetdiscover"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int) -> Imported:
        topology = _Topology(text, source)
        links = list(topology.links())
        switches = [node for node in topology.nodes.values() if node.id[0] == "S"]
        adapters = [node for node in topology.nodes.values() if node.id[0] != "S"]
        document = {
            "ibcc_fabric": 1,
            "name": name,
            "mtu_bytes": mtu_bytes,
            "switches": tuple(Switch(name=s.name, guid=_guid(s.id), lid=s.lid or None, ports=s.n_ports) for s in switches),
            "hosts": tuple(_host(node) for node in adapters),
            "links": tuple(links),
        }
        return Imported(build_model(FabricDocument, document, source=source), self.name, tuple(topology.notes))


class _Topology:
    """The sections of a text, checked against each other."""

    def __init__(self, text: str, source: str) -> None:
        self._source = source
        self.nodes: dict[str, _Node] = {}
        self.notes: list[str] = []
        current: _Node | None = None
        ignored: list[int] = []
        for line, content in enumerate(text.splitlines(), start=1):
            content = content.strip()
            if not content:
                current = None
            elif content.startswith(("Switch\t", "Ca\t", "Rt\t", "Switch ", "Ca ", "Rt ")):
                current = self._header(line, content)
            elif content.startswith("["):
                self._port(line, content, current)
            elif not _OTHER.match(content):
                ignored.append(line)
        if ignored:
            self.notes.append(f"{len(ignored)} lines were not understood and left out, the first is line {ignored[0]}")
        self._add_adapters_without_section()

    def links(self) -> Iterator[Link]:
        """Every link once, in the text's order. Raises BadInputError where its two sides disagree."""
        names = Counter(node.name for node in self.nodes.values())
        written: set[frozenset[tuple[str, int]]] = set()
        for node in self.nodes.values():
            for number, port in sorted(node.ports.items()):
                peer = self._other_side(node, number, port)
                if (link := frozenset({(node.id, number), port.peer})) in written:
                    continue
                written.add(link)
                if peer is node:
                    self.notes.append(f"the cable between ports {number} and {port.peer[1]} of '{node.name}' was left out")
                    continue
                a, b = _end(node, number, names), _end(peer, port.peer[1], names)
                yield Link(a=a, b=b, rate=port.rate)

    def _header(self, line: int, content: str) -> _Node:
        match = _HEADER.fullmatch(content)
        if match is None or _LETTER[match["word"]] != match["id"][0]:
            example = 'Switch 36 "S-0002c90200000001" # "name" base port 0 lid 1 lmc 0'
            raise self._error(f"is not a node's header, which looks like: {example}", line)
        if match["id"] in self.nodes:
            first = self.nodes[match["id"]].line
            raise self._error(f"node {match['id']} has a second section; the first is on line {first}", line)
        lid = int(match["lid"]) if match["lid"] else None
        node = _Node(match["id"], match["name"] or match["id"], line, int(match["ports"]), lid)
        self.nodes[node.id] = node
        return node

    def _port(self, line: int, content: str, node: _Node | None) -> None:
        match = _PORT.fullmatch(content)
        if match is None:
            example = '[1] "H-0002c90300000002"[1](2c90300000003) # "name" lid 2 4xNDR'
            raise self._error(f"is not a port's line, which looks like: {example}", line)
        if node is None:
            raise self._error(f"port {match['port']} stands outside a node's section", line)
        number = int(match["port"])
        if number in node.ports:
            first = node.ports[number].line
            raise self._error(f"port {number} of '{node.name}' is given twice; the first is on line {first}", line)
        if not 1 <= number <= node.n_ports:
            raise self._error(f"port {number} of '{node.name}' does not exist; its header says {node.n_ports} ports", line)
        node.ports[number] = _Port(
            line=line,
            peer=(match["id"], int(match["peer_port"])),
            rate=self._rate(match["rate"], line),
            peer_name=match["peer_name"] or match["id"],
            peer_lid=int(match["peer_lid"]),
            guid=_hexadecimal(match["guid"]),
            lid=int(match["lid"]) if match["lid"] else None,
            peer_guid=_hexadecimal(match["peer_guid"]),
        )

    def _other_side(self, node: _Node, number: int, port: _Port) -> _Node:
        """The node that the link leads to. Raises BadInputError if that one's section has no such link, or another."""
        peer = self.nodes.get(port.peer[0])
        if peer is None:
            raise self._error(f"'{port.peer_name}' ({port.peer[0]}) has no section; is the file cut short?", port.line)
        here, there = f"port {number} of '{node.name}'", f"port {port.peer[1]} of '{peer.name}'"
        back = peer.ports.get(port.peer[1])
        if back is None:
            raise self._error(f"{here} is linked to {there}, which has no line in its own section", port.line)
        if back.peer != (node.id, number):
            other = f"port {back.peer[1]} of '{back.peer_name}'"
            raise self._error(f"{here} is linked to {there}, but line {back.line} links that to {other}", port.line)
        for what, ours, theirs in [
            ("rate", port.rate, back.rate),
            ("name", port.peer_name, peer.name),
            ("port GUID", _shown_guid(port.peer_guid), _shown_guid(back.guid)),
            ("LID", port.peer_lid, back.lid if peer.id[0] != "S" else peer.lid),
        ]:
            if ours is not None and theirs is not None and ours != theirs:
                raise self._error(f"the {what} of {there} is '{ours}' here, but line {back.line} has '{theirs}'", port.line)
        return peer

    def _add_adapters_without_section(self) -> None:
        """Channel adapters that only their switches mention: some sites keep only the switches' sections of the text.

        Raises BadInputError if other adapters do have a section.
        """
        some_have_one = any(node.id[0] != "S" for node in self.nodes.values())
        added: dict[str, _Node] = {}
        for node in list(self.nodes.values()):
            for number, port in node.ports.items():
                peer_id, peer_port = port.peer
                if peer_id in self.nodes or peer_id[0] == "S":
                    continue
                if some_have_one:
                    raise self._error(f"'{port.peer_name}' ({peer_id}) has no section; is the file cut short?", port.line)
                peer = added.setdefault(peer_id, _Node(peer_id, port.peer_name, port.line, 0, None))
                peer.n_ports = max(peer.n_ports, peer_port)
                peer.ports[peer_port] = _Port(
                    line=port.line,
                    peer=(node.id, number),
                    rate=port.rate,
                    peer_name=node.name,
                    peer_lid=node.lid or 0,
                    guid=port.peer_guid,
                    lid=port.peer_lid,
                    peer_guid=port.guid,
                )
        self.nodes |= added
        if added:
            self.notes.append(f"{len(added)} channel adapters without a section were taken from their switches' lines")

    def _rate(self, text: str, line: int) -> str:
        try:
            ccsim.link_data_gbps(text)
        except ValueError as error:
            raise self._error(str(error), line) from error
        return text

    def _error(self, sentence: str, line: int) -> BadInputError:
        return BadInputError(sentence, source=self._source, line=line)


def _host(node: _Node) -> Host:
    kind: Literal["host", "aggregation", "router"] = "host"
    if node.id[0] == "R":
        kind = "router"
    elif node.name == AGGREGATION_NODE:
        kind = "aggregation"
    guid = _guid(node.id)
    if node.n_ports == 1 and len(node.ports) == 1:
        (port,) = node.ports.values()
        port_guid = None if port.guid == guid else port.guid
        return Host(name=node.name, kind=kind, guid=guid, lid=port.lid or None, port_guid=port_guid)
    endports = tuple(HostPort(port=i, guid=port.guid, lid=port.lid or None) for i, port in sorted(node.ports.items()))
    return Host(name=node.name, kind=kind, guid=guid, ports=node.n_ports, endports=endports)


def _end(node: _Node, port: int, names: Counter[str]) -> str:
    reference = node.name if names[node.name] == 1 and not node.name.startswith("guid:") else f"guid:0x{_guid(node.id):016x}"
    return f"{reference}/{port}"


def _guid(node_id: str) -> int:
    return int(node_id[2:], 16)


def _shown_guid(guid: int | None) -> str | None:
    return None if guid is None else f"0x{guid:016x}"


def _hexadecimal(text: str | None) -> int | None:
    return int(text, 16) if text else None


IMPORTERS.add(IbNetDiscover.name, IbNetDiscover())
