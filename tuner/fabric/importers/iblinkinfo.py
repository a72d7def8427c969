# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports what `iblinkinfo` prints, node by node or, with `-l`, a link a line; `-p` adds what is not read.

    Switch: 0x0002c90200000110 leaf 1:
              10    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>       8    1[  ] "host 1" ( )
    CA: host 1:
          0x0002c90300000002      8    1[  ] ==( 4X        53.125 Gbps Active/  LinkUp)==>      10    1[  ] "leaf 1" ( )

    0x0002c90200000110 "   leaf 1"     10    1[  ] ==( 4X … LinkUp)==>  0x0002c90300000002      8    1[  ] "host 1" ( )

Without `-l` the other end is known by its LID alone, so what has no LID yet, or is of another subnet in the same text, needs
`-l`.
The GUIDs of adapters are those of ports, so an adapter of several ports is a host for each of them.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from tuner.fabric.importers.base import IMPORTERS, Imported, imported
from tuner.fabric.importers.link_rows import LinkRows, RowEnd
from tuner.fabric.importers.remarks import Odd
from tuner.fabric.importers.topology import NO_LIDS, Kind, numbered_lines

_HEADER = re.compile(r"(?P<word>Switch|CA|Router):(?: (?P<guid>0x[0-9a-f]{1,16}))?[ \t]*(?P<name>.*?):?")
_PORT = r"(?P<{0}lid>[0-9]{{1,6}}) +(?P<{0}port>[0-9]{{1,4}})\[ *[0-9]* *\]"
_ROW = re.compile(
    rf'(?:(?P<guid>0x[0-9a-f]{{1,16}}) +)?(?:"(?P<aname>.*?)" +)?{_PORT.format("a")} +==\((?P<link>[^()]*)\)(?: \([^()]*\))?==> *'
    rf'(?:(?P<peer_guid>0x[0-9a-f]{{1,16}}) +)?(?:{_PORT.format("b")}|\[ *\]) +"(?P<bname>.*)" ?(?:\(.*)?'
)
_LINK = re.compile(r" *(?P<width>[0-9?]{1,2}[xX]?) +(?P<speed>[0-9A-Z.?]{1,12})(?: Gbps)? +\w.*")
_MENTIONED = re.compile(r"\] ==\([^()\n]*\)(?: \([^()\n]*\))?==>")
_KINDS: dict[str, Kind] = {"Switch": "switch", "CA": "host", "Router": "router"}


@dataclass(frozen=True)
class _Row:
    """A port as it is printed."""

    line: int
    kind: Kind | None
    """Of the section; None: with `-l`, and where a header is missing."""
    guid: int | None
    """Of the row, or of the section of a switch."""
    lid: int
    port: int
    name: str
    rate: str | None
    width: str | None
    peer_guid: int | None
    peer_lid: int | None
    peer_port: int | None
    """None: nothing is linked."""
    peer_name: str


class IbLinkInfo:
    """The importer; see the module's text."""

    name = "iblinkinfo"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
        links = LinkRows(source, strict=strict)
        rows = list(_rows(links, text, source))
        _Ends(links, rows).add()
        links.complete()
        return imported(links, name, mtu_bytes, self.name)


def _rows(links: LinkRows, text: str, source: str) -> Iterator[_Row]:
    section: tuple[Kind, int | None, str] | None = None
    for line, raw in numbered_lines(text, source, links.remarks):
        content = raw.strip()
        if not content or content.startswith("#"):
            continue
        if "==(" in content:
            match = _ROW.fullmatch(content)
            if match is None:
                example = '10 1[  ] ==( 4X 53.125 Gbps Active/  LinkUp)==> 8 1[  ] "host 1" ( )'
                links.remarks.add(Odd.ROW, f"is not a port's row, which looks like: {example}", line)
            else:
                yield _row(links, match, section, line)
        elif header := _HEADER.fullmatch(content):
            guid = int(header["guid"], 16) if header["guid"] else None
            section = _KINDS[header["word"]], guid, header["name"].strip()
        else:
            section = None  # it may be a header, and the rows that follow are not of the node before
            links.odd_line(line, content, IbLinkInfo.name)


def _row(links: LinkRows, match: re.Match[str], section: tuple[Kind, int | None, str] | None, line: int) -> _Row:
    kind, guid, name = section or (None, None, "")
    if match["aname"] is not None:  # -l
        kind, name = None, match["aname"].strip()
    own = int(match["guid"], 16) if match["guid"] else None
    if own is not None and kind == "switch":  # rows of switches have none, so a header is missing
        kind, name = "host", ""
    if own is not None and kind is None and match["aname"] is None:
        kind = "host"
    link = _LINK.fullmatch(match["link"])
    rate, width = (None, None) if link is None else links.rate_of(link["width"], link["speed"], line)
    linked = match["bport"] is not None
    return _Row(
        line=line,
        kind=kind,
        guid=guid if own is None else own,
        lid=int(match["alid"]),
        port=int(match["aport"]),
        name=name,
        rate=rate,
        width=width,
        peer_guid=int(match["peer_guid"], 16) if match["peer_guid"] else None,
        peer_lid=int(match["blid"]) if linked else None,
        peer_port=int(match["bport"]) if linked else None,
        peer_name=match["bname"].strip(),
    )


class _Ends:
    """Whose the ends of rows are: by GUID, and by LID where there is none."""

    def __init__(self, links: LinkRows, rows: list[_Row]) -> None:
        self._links, self._rows = links, rows
        ports: dict[int | str, set[int]] = {}  # by GUID or by LID as text
        for row in rows:
            ports.setdefault(row.guid if row.guid is not None else _by_lid(row.lid), set()).add(row.port)
            if row.peer_port is not None and row.peer_lid is not None:
                ports.setdefault(_by_lid(row.peer_lid), set()).add(row.peer_port)
            if row.peer_port is not None and row.peer_guid is not None:
                ports.setdefault(row.peer_guid, set()).add(row.peer_port)
        self._ports = ports
        self._kinds: dict[int, Kind] = {row.guid: row.kind for row in rows if row.guid is not None and row.kind is not None}
        self._names = {row.guid: row.name for row in rows if row.guid is not None and row.name}
        self._guids: dict[int, set[int]] = {}
        for row in rows:
            if row.guid is not None and row.lid not in NO_LIDS:
                self._guids.setdefault(row.lid, set()).add(row.guid)

    def add(self) -> None:
        for row in self._rows:
            a = self._end(row.guid, row.lid, row.port, row.name)
            if a is None:
                self._links.remarks.add(Odd.OUTSIDE, f"port {row.port} stands outside a node's section", row.line)
            elif row.peer_port is None:
                self._links.add_end(a, row.line)
            else:
                b = self._end(row.peer_guid, row.peer_lid, row.peer_port, row.peer_name)
                if b is None:
                    sentence = f"the other end, '{row.peer_name}', has LID {row.peer_lid}, which tells no node; use iblinkinfo -l"
                    self._links.remarks.add(Odd.NO_NODE, sentence, row.line)
                    self._links.add_end(a, row.line)
                else:
                    self._links.add_link(a, b, row.rate, row.line, width=row.width)

    def _end(self, guid: int | None, lid: int | None, port: int, name: str) -> RowEnd | None:
        """None where neither GUID nor LID tells the node."""
        if guid is None:
            if lid is None or lid in NO_LIDS or len(self._guids.get(lid, ())) > 1:
                return None
            guid = next(iter(self._guids.get(lid, ())), None)
        key = _by_lid(lid or 0) if guid is None else guid
        kind = self._kinds.get(guid) if guid is not None else None
        kind = kind or ("switch" if len(self._ports[key]) > 1 else "host")
        name = self._names.get(guid, name) if guid is not None else name
        port_guid = None if kind == "switch" else guid
        return RowEnd(
            id=key if isinstance(key, str) else f"{key:016x}",
            kind=kind,
            name=name,
            port=port,
            guid=guid,
            port_guid=port_guid,
            lid=lid,
        )


def _by_lid(lid: int) -> str:
    return f"lid {lid}"


IMPORTERS.add(IbLinkInfo.name, IbLinkInfo())
