# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports ibdiagnet's ibdiagnet2.db_csv: tables of nodes, ports and links between many others.

A section is a line `START_NAME`, a line with the names of columns, rows, and a line `END_NAME`. NODES has names, GUIDs and device
ids, LINKS the links, and PORTS, which older versions leave out, LIDs and the width and speed that are active, as numbers.
"""

import csv
import re
from collections.abc import Iterator
from dataclasses import dataclass

from tuner.fabric.importers.base import IMPORTERS, Imported, imported
from tuner.fabric.importers.link_rows import LinkRows, RowEnd
from tuner.fabric.importers.remarks import Odd
from tuner.fabric.importers.topology import Kind, numbered_lines

_MENTIONED = re.compile(r"^START_(NODES|LINKS|PORTS)\r?$", re.MULTILINE)
_NUMBER = re.compile(r"(?:0[xX][0-9a-fA-F]{1,16}|[0-9]{1,20})")
_COLUMNS = {
    "NODES": ("numports", "nodetype", "nodeguid"),
    "PORTS": ("nodeguid", "portnum"),
    "LINKS": ("nodeguid1", "portnum1", "nodeguid2", "portnum2"),
}
_KINDS: dict[int, Kind] = {1: "host", 2: "switch", 3: "router"}
_LONGEST = 65536
"""Characters of a line; some sections have hundreds of columns."""
_WIDTHS = {1: "1x", 2: "4x", 4: "8x", 8: "12x", 16: "2x"}
# Bits of IBA's LinkSpeedActive, from 2**8 on of LinkSpeedExtActive, from 2**16 on of Mellanox's, from 2**24 on of the second
# extended one.
_SPEEDS = {1: "2.5", 2: "5", 4: "10", 1 << 8: "14", 1 << 9: "25", 1 << 10: "50", 1 << 11: "100", 1 << 16: "FDR10", 1 << 24: "200"}


@dataclass(frozen=True)
class _NodeRow:
    name: str
    kind: Kind
    n_ports: int
    vendor_id: int | None
    device_id: int | None
    port_guid: int | None
    line: int


@dataclass(frozen=True)
class _PortRow:
    guid: int | None
    lid: int | None
    width: int | None
    speed: int | None


class IbdiagnetTables:
    """The importer; see the module's text."""

    name = "ibdiagnet2.db_csv"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
        links = LinkRows(source, strict=strict)
        nodes: dict[int, _NodeRow] = {}
        ports: dict[tuple[int, int], _PortRow] = {}
        pairs: list[tuple[int, int, int, int, int]] = []
        for section, line, cells in _rows(links, text, source):
            try:
                if section == "NODES":
                    nodes[_number(cells, "nodeguid")] = _node(cells, line)
                elif section == "PORTS":
                    ports[_number(cells, "nodeguid"), _number(cells, "portnum")] = _port(cells)
                else:
                    a, a_port, b, b_port = (_number(cells, column) for column in _COLUMNS["LINKS"])
                    pairs.append((line, a, a_port, b, b_port))
            except ValueError as error:
                links.remarks.add(Odd.ROW, f"is not a row of {section}: {error}", line)
        for guid, row in nodes.items():
            lid = ports.get((guid, 0))
            links.add_end(_end(guid, row, 0, None, None if lid is None else lid.lid), row.line)
        for line, a, a_port, b, b_port in pairs:
            _add(links, nodes, ports, line, (a, a_port), (b, b_port))
        links.complete()
        return imported(links, name, mtu_bytes, self.name)


def _rows(links: LinkRows, text: str, source: str) -> Iterator[tuple[str, int, dict[str, str]]]:
    """Section, line and cells by the lower-case name of the column, of the sections that are read."""
    section: str | None = None
    columns: list[str] | None = None
    for line, raw in numbered_lines(text, source, links.remarks, longest=_LONGEST):
        content = raw.strip()
        if content.startswith("START_"):
            section, columns = content.removeprefix("START_"), None
        elif content.startswith("END_"):
            section = None
        elif section in _COLUMNS and content:
            assert section is not None
            try:
                cells = [cell.strip() for cell in next(csv.reader([content], strict=True))]
            except csv.Error as error:
                links.remarks.add(Odd.ROW, f"is not a row of cells: {error}", line)
                continue
            if columns is None:
                names = [cell.lower() for cell in cells]
                if all(column in names for column in _COLUMNS[section]):
                    columns = names
                else:
                    links.remarks.add(Odd.ROW, f"has not the columns of {section}: {', '.join(_COLUMNS[section])}", line)
                    section = None
            elif len(cells) > len(columns):
                links.remarks.add(Odd.ROW, f"has {len(cells)} cells, but section {section} has {len(columns)} columns", line)
            else:
                yield section, line, dict(zip(columns, cells, strict=False))


def _node(cells: dict[str, str], line: int) -> _NodeRow:
    kind = _KINDS.get(_number(cells, "nodetype"))
    if kind is None:
        raise ValueError(f"its NodeType is '{cells['nodetype'][:20]}'; it must be 1, 2 or 3")
    vendor, device, port_guid = (_optional(cells, column) for column in ("vendorid", "deviceid", "portguid"))
    return _NodeRow(cells.get("nodedesc", ""), kind, _number(cells, "numports"), vendor, device, port_guid, line)


def _port(cells: dict[str, str]) -> _PortRow:
    return _PortRow(*(_optional(cells, column) for column in ("portguid", "lid", "linkwidthactv", "linkspeedactv")))


def _add(
    links: LinkRows,
    nodes: dict[int, _NodeRow],
    ports: dict[tuple[int, int], _PortRow],
    line: int,
    a: tuple[int, int],
    b: tuple[int, int],
) -> None:
    known = [(links.nodes.get(f"{guid:016x}"), guid, port) for guid, port in (a, b)]
    ends = [_end(guid, nodes.get(guid), port, ports.get((guid, port)), _lid(nodes, ports, guid, port)) for _, guid, port in known]
    for node, guid, _ in known:
        if node is None and guid not in nodes:
            sentence = f"0x{guid:016x} has no row in NODES; is the file cut short?"
            links.remarks.add(Odd.NO_SECTION, sentence, line)
    rates = [_rate(links, ports.get((guid, port)), line) for _, guid, port in known]
    for (own, other), (rate, width) in zip((ends, ends[::-1]), rates, strict=True):
        if own.port not in (links.nodes[own.id].ports if own.id in links.nodes else ()):
            links.add_link(own, other, rate, line, width=width)
        elif (seen := links.nodes[own.id].ports[own.port]).peer != (other.id, other.port):
            sentence = f"port {own.port} of '{own.name}' is linked twice; the first is on line {seen.line}"
            links.remarks.add(Odd.PORT_TWICE, sentence, line)
            return


def _lid(nodes: dict[int, _NodeRow], ports: dict[tuple[int, int], _PortRow], guid: int, port: int) -> int | None:
    """A switch has its LID at port 0, and ibdiagnet gives all its ports that one too."""
    is_switch = (row := nodes.get(guid)) is not None and row.kind == "switch"
    found = ports.get((guid, 0)) if is_switch else None
    found = found or ports.get((guid, port))
    return None if found is None else found.lid


def _end(guid: int, row: _NodeRow | None, port: int, port_row: _PortRow | None, lid: int | None) -> RowEnd:
    if row is None:
        return RowEnd(id=f"{guid:016x}", kind="switch" if port > 4 else "host", name="", port=port, guid=guid, lid=lid)
    own = None if port_row is None else port_row.guid
    if own is None and row.n_ports == 1:
        own = row.port_guid
    return RowEnd(
        id=f"{guid:016x}",
        kind=row.kind,
        name=row.name,
        port=port,
        guid=guid,
        port_guid=None if row.kind == "switch" or port == 0 else own,
        lid=lid,
        n_ports=row.n_ports,
        vendor_id=row.vendor_id,
        device_id=row.device_id,
    )


def _rate(links: LinkRows, row: _PortRow | None, line: int) -> tuple[str | None, str | None]:
    if row is None or row.width is None or row.speed is None:
        return None, None
    return links.rate_of(_WIDTHS.get(row.width, "?"), _SPEEDS.get(row.speed, "?"), line)


def _number(cells: dict[str, str], column: str) -> int:
    value = _optional(cells, column)
    if value is None:
        raise ValueError(f"'{cells.get(column, '')[:20]}' in column {column} is not a number")
    return value


def _optional(cells: dict[str, str], column: str) -> int | None:
    """None for a cell that is missing, empty, N/A or no number of 64 bits."""
    text = cells.get(column, "")
    if not _NUMBER.fullmatch(text):
        return None
    value = int(text, 16 if text[:2] in ("0x", "0X") else 10)
    return value if value < 2**64 else None


IMPORTERS.add(IbdiagnetTables.name, IbdiagnetTables())
