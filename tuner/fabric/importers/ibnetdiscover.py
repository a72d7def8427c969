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
from dataclasses import dataclass
from functools import lru_cache

import ccsim
from tuner.fabric.importers.base import IMPORTERS, Imported
from tuner.fabric.importers.topology import AGGREGATION_NODE, Kind, Node, Port, Topology, numbered_lines

_ID = r'"(?P<id>[SHR]-[0-9a-f]{1,16})"'
_HEADER = re.compile(
    rf'(?P<word>Switch|Ca|Rt)[ \t]+(?P<ports>[0-9]{{1,4}})[ \t]+{_ID}[ \t]*#[ \t]*"(?P<name>.*)"'
    r"(?:.*\bport 0 lid (?P<lid>[0-9]{1,6}))?.*",
)
_PORT = re.compile(
    r"\[(?P<port>[0-9]{1,4})\](?:\[ext [0-9]{1,4}\])?(?:\((?P<guid>[0-9a-f]{1,16})\))?[ \t]+"
    rf"{_ID}\[(?P<peer_port>[0-9]{{1,4}})\](?:\[ext [0-9]{{1,4}}\])?[ \t]*(?:\((?P<peer_guid>[0-9a-f]{{1,16}})\))?[ \t]*"
    r'#(?:[ \t]*lid (?P<lid>[0-9]{1,6}) lmc [0-9]+)?[ \t]*"(?P<peer_name>.*)"[ \t]+'
    r"lid (?P<peer_lid>[0-9]{1,6})[ \t]+(?P<rate>[0-9?]{1,2}x?[A-Z0-9?]+).*"
)
_KINDS: dict[str, Kind] = {"S": "switch", "H": "host", "R": "router"}
_LETTER = {"Switch": "S", "Ca": "H", "Rt": "R"}
_OTHER = re.compile(r"#|\w+=|Chassis |Non-Chassis |Spine |Line |Switches|DR path")  # of no interest here
_DEVICE = re.compile(r"(?P<what>vendid|devid)=0x(?P<id>[0-9a-fA-F]{1,8})")
_MENTIONED = re.compile(r"^(Switch|Ca|Rt)[ \t]+[0-9]+[ \t]+\"[SHR]-[0-9a-f]+\"[ \t]*#[ \t]*\"", re.MULTILINE)


@dataclass
class _Port(Port):
    rate: str = ""
    peer_name: str = ""
    peer_lid: int = 0
    peer_guid: int | None = None


class IbNetDiscover:
    """The importer; see the module's text."""

    name = "ibnetdiscover"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int) -> Imported:
        topology = _Topology(text, source)
        return Imported(topology.document(name, mtu_bytes), self.name, tuple(topology.notes))


class _Topology(Topology[_Port]):
    def __init__(self, text: str, source: str) -> None:
        super().__init__(source)
        current: Node[_Port] | None = None
        ignored: list[int] = []
        ids: dict[str, int] = {}  # of the header that follows
        for line, content in numbered_lines(text, source):
            content = content.strip()
            if not content:
                current = None
            elif content.startswith("["):
                self._port(line, content, current)
            elif content.startswith(("Switch\t", "Ca\t", "Rt\t", "Switch ", "Ca ", "Rt ")):
                current = self._header(line, content)
                current.vendor_id, current.device_id = ids.pop("vendid", None), ids.pop("devid", None)
            elif device := _DEVICE.fullmatch(content):
                ids[device["what"]] = int(device["id"], 16)
            elif not _OTHER.match(content):
                ignored.append(line)
        if ignored:
            self.notes.append(f"{len(ignored)} lines were not understood and left out, the first is line {ignored[0]}")
        self._add_adapters_without_section()

    def rate(self, a: Node[_Port], a_port: _Port, b: Node[_Port], b_port: _Port) -> str:
        there = f"port {a_port.peer[1]} of '{b.name}'"
        for what, ours, theirs in [
            ("rate", a_port.rate, b_port.rate),
            ("name", a_port.peer_name, b.name),
            ("port GUID", _shown_guid(a_port.peer_guid), _shown_guid(b_port.guid)),
            ("LID", a_port.peer_lid, b.lid if b.kind == "switch" else b_port.lid),
        ]:
            if ours is not None and theirs is not None and ours != theirs:
                sentence = f"the {what} of {there} is '{ours}' here, but line {b_port.line} has '{theirs}'"
                raise self.error(sentence, a_port.line)
        return a_port.rate

    def rates(self, node: Node[_Port]) -> tuple[str, ...]:
        return tuple(port.rate for port in node.ports.values())

    def describe(self, port: _Port) -> str:
        return f"'{port.peer_name}' ({port.peer[0]})"

    def _header(self, line: int, content: str) -> Node[_Port]:
        match = _HEADER.fullmatch(content)
        if match is None or _LETTER[match["word"]] != match["id"][0]:
            example = 'Switch 36 "S-0002c90200000001" # "name" base port 0 lid 1 lmc 0'
            raise self.error(f"is not a node's header, which looks like: {example}", line)
        return self.add_node(_node(match["id"], match["name"], line, int(match["ports"]), _decimal(match["lid"])))

    def _port(self, line: int, content: str, node: Node[_Port] | None) -> None:
        match = _PORT.fullmatch(content)
        if match is None:
            example = '[1] "H-0002c90300000002"[1](2c90300000003) # "name" lid 2 4xNDR'
            raise self.error(f"is not a port's line, which looks like: {example}", line)
        port = _Port(
            line=line,
            peer=(match["id"], int(match["peer_port"])),
            guid=_hexadecimal(match["guid"]),
            lid=_decimal(match["lid"]),
            rate=match["rate"],
            peer_name=match["peer_name"] or match["id"],
            peer_lid=int(match["peer_lid"]),
            peer_guid=_hexadecimal(match["peer_guid"]),
        )
        self.add_port(node, int(match["port"]), port)
        if sentence := _complaint(port.rate):
            raise self.error(sentence, line)

    def _add_adapters_without_section(self) -> None:
        """Channel adapters that only their switches mention: some sites keep only the switches' sections of the text.

        Raises BadInputError if other adapters do have a section.
        """
        some_have_one = any(node.kind != "switch" for node in self.nodes.values())
        added: dict[str, Node[_Port]] = {}
        for node in list(self.nodes.values()):
            for number, port in node.ports.items():
                peer_id, peer_port = port.peer
                if (peer_id in self.nodes and peer_id not in added) or peer_id[0] == "S":
                    continue
                if some_have_one:
                    raise self.error(f"{self.describe(port)} has no section; is the file cut short?", port.line)
                if peer_id not in added:
                    added[peer_id] = self.add_node(_node(peer_id, port.peer_name, port.line, peer_port, None))
                peer = added[peer_id]
                peer.n_ports = max(peer.n_ports, peer_port)
                back = _Port(
                    line=port.line,
                    peer=(node.id, number),
                    guid=port.peer_guid,
                    lid=port.peer_lid,
                    rate=port.rate,
                    peer_name=node.name,
                    peer_lid=node.lid or 0,
                    peer_guid=port.guid,
                )
                self.add_port(peer, peer_port, back)
        if added:
            self.notes.append(f"{len(added)} channel adapters without a section were taken from their switches' lines")


@lru_cache(maxsize=256)
def _complaint(rate: str) -> str | None:
    """Returns the fault of a rate as a sentence, or None."""
    if "?" in rate:
        return (
            f"ibnetdiscover did not know the rate of this link and printed '{rate}'; that of a newer infiniband-diags does, "
            "or write what it is, such as 4xNDR, on both sides of the link"
        )
    try:
        ccsim.link_data_gbps(rate)
    except ValueError as error:
        return str(error)
    return None


def _node(node_id: str, name: str, line: int, n_ports: int, lid: int | None) -> Node[_Port]:
    kind = "aggregation" if node_id[0] == "H" and name == AGGREGATION_NODE else _KINDS[node_id[0]]
    return Node(node_id, kind, name or node_id, line, n_ports, int(node_id[2:], 16), lid)


def _shown_guid(guid: int | None) -> str | None:
    return None if guid is None else f"0x{guid:016x}"


def _hexadecimal(text: str | None) -> int | None:
    return int(text, 16) if text else None


def _decimal(text: str | None) -> int | None:
    return int(text) if text else None


IMPORTERS.add(IbNetDiscover.name, IbNetDiscover())
