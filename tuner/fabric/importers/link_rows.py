# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parts shared by formats that list links: a row has both ends, so that one sound row is enough for a link.

A format that gives port GUIDs alone cannot tell which adapter ports are of one adapter, so each is a host there.
"""

from dataclasses import dataclass

from tuner.fabric.importers.remarks import Odd
from tuner.fabric.importers.topology import AGGREGATION_NODE, Kind, Node, Port, Topology, seen_from

SPEEDS = {
    "2.5": "SDR",
    "5": "DDR",
    "10": "QDR",
    "10.3125": "FDR10",
    "FDR10": "FDR10",
    "14": "FDR",
    "14.0625": "FDR",
    "25": "EDR",
    "25.78125": "EDR",
    "50": "HDR",
    "53.125": "HDR",
    "100": "NDR",
    "106.25": "NDR",
    "200": "XDR",
    "212.5": "XDR",
}
"""Speeds by the Gb/s of a lane, as programs print them: nominal, or of signals."""
_WIDTHS = ("1x", "2x", "4x", "8x", "12x")


@dataclass(frozen=True)
class RowEnd:
    """One end of a row. `id`: of its node in the format; `port_guid`: None where the format has none, or for switches."""

    id: str
    kind: Kind
    name: str
    port: int
    guid: int | None
    port_guid: int | None = None
    lid: int | None = None
    n_ports: int = 1
    vendor_id: int | None = None
    device_id: int | None = None


class LinkRows(Topology[Port]):
    """The nodes and links of rows."""

    def add_end(self, end: RowEnd, line: int) -> Node[Port]:
        """The node of an end. A later row may know more of it than an earlier one."""
        node = self.nodes.get(end.id)
        is_switch = end.kind == "switch"
        if node is None:
            kind = "aggregation" if end.kind == "host" and end.name == AGGREGATION_NODE else end.kind
            new: Node[Port] = Node(end.id, kind, end.name or end.id, line, end.n_ports, end.guid, end.lid if is_switch else None)
            node = self.add_node(new)
        elif is_switch and node.lid is None and end.lid is not None:
            _, node.lid = self.possible(None, end.lid, node.name, line)
        node.n_ports = max(node.n_ports, min(end.n_ports, 254), end.port if end.port <= 254 else 0)
        node.vendor_id = node.vendor_id or end.vendor_id
        node.device_id = node.device_id or end.device_id
        return node

    def add_link(self, a: RowEnd, b: RowEnd, rate: str | None, line: int, *, width: str | None = None) -> None:
        """The row of end `a`. The other end gets its own row, or, at the end of the text, what this one says of it."""
        node = self.add_end(a, line)
        self.add_end(b, line)
        port = Port(
            line=line,
            peer=(b.id, b.port),
            guid=a.port_guid,
            lid=None if a.kind == "switch" else a.lid,
            rate=rate,
            width=width,
            peer_name=b.name or None,
            peer_lid=b.lid,
            peer_guid=b.port_guid,
        )
        self.add_port(node, a.port, port)

    def complete(self) -> None:
        """Gives the ends that no row begins with their ports, without remarks: not every format lists a link twice."""
        for node in list(self.nodes.values()):
            for number, port in list(node.ports.items()):
                peer = self.nodes[port.peer[0]]
                if port.peer[1] not in peer.ports and port.peer != (node.id, number):
                    self.add_port(peer, port.peer[1], seen_from(node, number, port))

    def rates(self, node: Node[Port]) -> tuple[str, ...]:
        return tuple(port.rate for port in node.ports.values() if port.rate is not None)

    def rate_of(self, width: str, speed: str, line: int) -> tuple[str | None, str | None]:
        """The rate of a width such as 4x and a speed as the program prints it, and the width alone; None: not known."""
        width = width.lower().lstrip("0") or "0x"
        known_width = width if width in _WIDTHS else None
        name = SPEEDS.get(speed.removesuffix(".0"), speed if speed in SPEEDS.values() else None)
        if known_width is None or name is None:
            if self.remarks.strict:
                sentence = f"'{width[:20]} {speed[:20]}' is not the rate of a link; write what it is, such as 4x and HDR"
                self.remarks.add(Odd.ROW, sentence, line)
            return None, known_width
        return f"{known_width}{name}", known_width
