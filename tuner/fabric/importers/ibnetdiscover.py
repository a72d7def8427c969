# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports what `ibnetdiscover` of infiniband-diags prints.

The text has a section for each node: a few `key=value` lines, a header, and a line for each connected port.

    Switch  65 "S-2c5eab0300b87b40"         # "leaf 4" enhanced port 0 lid 73 lmc 0
    [1]     "H-e09d7303007a4bd8"[1](e09d7303007a4bd8)       # "host 1" lid 647 4xNDR
    Ca      1 "H-e09d7303007a4bd8"          # "host 1"
    [1](e09d7303007a4bd8)   "S-2c5eab0300b87b40"[1]         # lid 647 lmc 0 "leaf 4" lid 73 4xNDR

So every link stands in it twice, once from each side; topology.py says what holds where the two disagree. The letter of a node's
id is its type: S a switch, H a channel adapter, R a router. The text does not hold the MTU.
"""

import re
from collections import Counter
from functools import lru_cache

import ccsim
from tuner.fabric.importers.base import IMPORTERS, Imported, imported
from tuner.fabric.importers.remarks import Odd
from tuner.fabric.importers.topology import AGGREGATION_NODE, MAX_PORTS, Kind, Node, Port, Topology, numbered_lines, seen_from

_ID = r'"(?P<id>[SHR]-[0-9a-f]{1,16})"'
_HEADER = re.compile(
    rf'(?P<word>Switch|Ca|Rt)[ \t]+(?P<ports>[0-9]{{1,4}})[ \t]+{_ID}[ \t]*#[ \t]*"(?P<name>.*)"'
    r"(?:.*\bport 0 lid (?P<lid>[0-9]{1,6}))?.*",
)
_PORT = re.compile(
    r"\[(?P<port>[0-9]{1,4})\](?:\[ext [0-9]{1,4}\])?(?:\((?P<guid>[0-9a-f]{1,16})\))?[ \t]+"
    rf"{_ID}\[(?P<peer_port>[0-9]{{1,4}})\](?:\[ext [0-9]{{1,4}}\])?[ \t]*(?:\((?P<peer_guid>[0-9a-f]{{1,16}})\))?[ \t]*"
    r'#(?:[ \t]*lid (?P<lid>[0-9]{1,6}) lmc [0-9]+)?[ \t]*"(?P<peer_name>.*)"[ \t]+'
    r"lid (?P<peer_lid>[0-9]{1,6})(?:[ \t]+(?P<rate>[0-9?]{1,2}x?[A-Z0-9?]+).*)?"
)
_KINDS: dict[str, Kind] = {"S": "switch", "H": "host", "R": "router"}
_LETTER = {"Switch": "S", "Ca": "H", "Rt": "R"}
_OTHER = re.compile(r"#|\w+=|Chassis |Non-Chassis |Spine |Line |Switches|DR path")  # of no interest here
_DEVICE = re.compile(r"(?P<what>vendid|devid)=0x(?P<id>[0-9a-fA-F]{1,8})")
_GUID_LINE = re.compile(r"(?P<what>switchguid|caguid|rtguid)=0x(?P<guid>[0-9a-fA-F]{1,16})\b")
_GUID_LETTERS = {"switchguid": "S", "caguid": "H", "rtguid": "R"}
_WIDTHS = ("1", "2", "4", "8", "12")
_MENTIONED = re.compile(r"^[ \t]*(Switch|Ca|Rt)[ \t]+[0-9]+[ \t]+\"[SHR]-[0-9a-f]+\"[ \t]*#[ \t]*\"", re.MULTILINE)


class IbNetDiscover:
    """The importer; see the module's text."""

    name = "ibnetdiscover"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
        return imported(_Topology(text, source, strict=strict), name, mtu_bytes, self.name)


class _Topology(Topology[Port]):
    name = "ibnetdiscover"

    def __init__(self, text: str, source: str, *, strict: bool) -> None:
        super().__init__(source, strict=strict)
        current: Node[Port] | None = None
        ids: dict[str, int] = {}  # of the header that follows
        guid_line: str | None = None
        headless: list[Node[Port]] = []
        for line, content in numbered_lines(text, source, self.remarks):
            content = content.strip()
            if not content:
                current = None
            elif content.startswith("["):
                if current is None and not strict:
                    current = Node(guid_line or "", "host", "", line, MAX_PORTS, None)
                    headless.append(current)
                self._port(line, content, current)
            elif content.startswith(("Switch\t", "Ca\t", "Rt\t", "Switch ", "Ca ", "Rt ")):
                current, guid_line = self._header(line, content), guid_line
                if current is not None and current.line == line:
                    current.vendor_id, current.device_id = ids.pop("vendid", None), ids.pop("devid", None)
                    guid_line = None
            elif device := _DEVICE.fullmatch(content):
                ids[device["what"]] = int(device["id"], 16)
            elif guid := _GUID_LINE.match(content):
                current, guid_line = None, f"{_GUID_LETTERS[guid['what']]}-{int(guid['guid'], 16):016x}"
            elif not _OTHER.match(content):
                self.odd_line(line, content, self.name)
        for section in headless:
            self._give_back(section)
        if not any(node.kind != "switch" for node in self.nodes.values()):
            self._add_adapters()

    def mentioned(self, port: Port) -> Node[Port]:
        return _node(port.peer[0], port.peer_name or "", port.line, port.peer[1], None)

    def rates(self, node: Node[Port]) -> tuple[str, ...]:
        return tuple(port.rate for port in node.ports.values() if port.rate is not None)

    def _header(self, line: int, content: str) -> Node[Port] | None:
        match = _HEADER.fullmatch(content)
        if match is None or _LETTER[match["word"]] != match["id"][0]:
            example = 'Switch 36 "S-0002c90200000001" # "name" base port 0 lid 1 lmc 0'
            self.remarks.add(Odd.ROW, f"is not a node's header, which looks like: {example}", line)
            return None
        return self.add_node(_node(match["id"], match["name"], line, int(match["ports"]), _decimal(match["lid"])))

    def _port(self, line: int, content: str, node: Node[Port] | None) -> None:
        match = _PORT.fullmatch(content)
        if match is None:
            example = '[1] "H-0002c90300000002"[1](2c90300000003) # "name" lid 2 4xNDR'
            self.remarks.add(Odd.ROW, f"is not a port's line, which looks like: {example}", line)
            return
        port = Port(
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
        if port.rate is not None and (sentence := _complaint(port.rate)):
            width, _, speed = port.rate.partition("x")
            if "?" not in speed or self.remarks.strict:
                self.remarks.add(Odd.ROW, sentence, line)
            port.rate, port.width = None, f"{width}x" if width in _WIDTHS else None

    def _give_back(self, section: Node[Port]) -> None:
        """Finds whose ports these are, whose header is missing: by the rows at their other ends, or by the line of the GUID."""
        if not section.ports:  # its rows are odd too
            return
        owners: Counter[str] = Counter()
        by_owner: dict[str, Port] = {}
        for number, port in section.ports.items():
            peer = self.nodes.get(port.peer[0])
            back = None if peer is None else peer.ports.get(port.peer[1])
            if back is not None and back.peer[1] == number:
                owners[back.peer[0]] += 1
                by_owner.setdefault(back.peer[0], back)
        if owners:
            owner = owners.most_common(1)[0][0]
            node = self.nodes.get(owner) or self.add_node(self.mentioned(by_owner[owner]))
        elif section.id:
            node = self.nodes.get(section.id) or self.add_node(_node(section.id, "", section.line, 1, None))
        else:
            for number, port in section.ports.items():
                self.add_port(None, number, port)
            return
        node.n_ports = max(node.n_ports, *section.ports)
        for number, port in section.ports.items():
            self.add_port(node, number, port)

    def _add_adapters(self) -> None:
        """Channel adapters that only their switches mention: some sites keep only the switches' sections of the text."""
        added: set[str] = set()
        for node in list(self.nodes.values()):
            for number, port in list(node.ports.items()):
                peer_id, peer_port = port.peer
                if peer_id[0] == "S":
                    continue
                if peer_id not in self.nodes:
                    self.add_node(self.mentioned(port))
                    added.add(peer_id)
                peer = self.nodes[peer_id]
                if peer_port <= MAX_PORTS:
                    peer.n_ports = max(peer.n_ports, peer_port)
                if peer_port not in peer.ports:
                    self.add_port(peer, peer_port, seen_from(node, number, port))
        if added:
            self.notes.append(f"{len(added)} channel adapters without a section were taken from their switches' lines")


@lru_cache(maxsize=256)
def _complaint(rate: str) -> str | None:
    """Returns the fault of a rate as a sentence, or None."""
    if "?" in rate:
        return f"ibnetdiscover could not read the rate of this link and printed '{rate}'; write what it is, such as 4xNDR"
    try:
        ccsim.link_data_gbps(rate)
    except ValueError as error:
        return str(error)
    return None


def _node(node_id: str, name: str, line: int, n_ports: int, lid: int | None) -> Node[Port]:
    kind = "aggregation" if node_id[0] == "H" and name == AGGREGATION_NODE else _KINDS[node_id[0]]
    return Node(node_id, kind, name or node_id, line, n_ports, int(node_id[2:], 16), lid)


def _hexadecimal(text: str | None) -> int | None:
    return int(text, 16) if text else None


def _decimal(text: str | None) -> int | None:
    return int(text) if text else None


IMPORTERS.add(IbNetDiscover.name, IbNetDiscover())
