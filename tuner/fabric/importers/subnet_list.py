# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports OpenSM's opensm-subnet.lst, which it writes with `-D 0x43`, and ibdiagnet's ibdiagnet2.lst, which looks the same.

    { CA Ports:01 SystemGUID:… NodeGUID:… PortGUID:… VenID:0002C9 DevID:101B Rev:00000000 {host 1} LID:0001 PN:01 }
    { SW Ports:28 SystemGUID:… … {leaf 1} LID:0003 PN:28 } PHY=4x LOG=ACT SPD=50

stand in one line: a link from one of its ends. Numbers are hexadecimal, also those of ports.
"""

import re

from tuner.fabric.importers.base import IMPORTERS, Imported, imported
from tuner.fabric.importers.link_rows import LinkRows, RowEnd
from tuner.fabric.importers.remarks import Odd
from tuner.fabric.importers.topology import Kind, numbered_lines

_END = (
    r"\{{ ?(?P<{0}word>CA|SW|Rt|RT)(?:-SM)? +Ports:(?P<{0}ports>[0-9A-Fa-f]{{1,4}}) +SystemGUID:[0-9A-Fa-f]+ +"
    r"NodeGUID:(?P<{0}guid>[0-9A-Fa-f]{{1,16}}) +PortGUID:(?P<{0}port_guid>[0-9A-Fa-f]{{1,16}}) +"
    r"VenID:(?P<{0}vendor>[0-9A-Fa-f]{{1,8}}) +"
    r"DevID:(?P<{0}device>[0-9A-Fa-f]{{1,8}}) +Rev:[0-9A-Fa-f]+ +"
    r"(?:\{{(?P<{0}name>.*?)\}} +)?LID:(?P<{0}lid>[0-9A-Fa-f]{{1,5}}) +"
    r"PN:(?P<{0}port>[0-9A-Fa-f]{{1,4}}) ?\}}"
)
_ROW = re.compile(
    rf"{_END.format('a')} +{_END.format('b')} +PHY=(?P<width>\S{{1,9}}) +LOG=(?P<state>\w+) +SPD=(?P<speed>\S{{1,12}})"
)
_MENTIONED = re.compile(r"^[ \t]*\{ ?(CA|SW|R[tT])(-SM)? +Ports:", re.MULTILINE)
_KINDS: dict[str, Kind] = {"CA": "host", "SW": "switch", "RT": "router"}
_OUI = 0xFFFFFF
"""Bits of a vendor id that hold the OUI."""


class SubnetList:
    """The importer; see the module's text."""

    name = "opensm-subnet.lst"

    def recognises(self, text: str) -> bool:
        return _MENTIONED.search(text) is not None

    def read(self, text: str, *, source: str, name: str, mtu_bytes: int, strict: bool = False) -> Imported:
        rows = LinkRows(source, strict=strict)
        for line, raw in numbered_lines(text, source, rows.remarks):
            content = raw.strip()
            if not content or content.startswith("#"):
                continue
            match = _ROW.fullmatch(content)
            if match is None:
                example = "{ CA Ports:01 … LID:0001 PN:01 } { SW Ports:28 … LID:0003 PN:28 } PHY=4x LOG=ACT SPD=50"
                rows.remarks.add(Odd.ROW, f"is not a link's row, which looks like: {example}", line)
                continue
            rate, width = rows.rate_of(match["width"], match["speed"], line)
            rows.add_link(_end(match, "a"), _end(match, "b"), rate, line, width=width)
        rows.complete()
        return imported(rows, name, mtu_bytes, self.name)


def _end(match: re.Match[str], which: str) -> RowEnd:
    kind = _KINDS[match[f"{which}word"].upper()]
    guid = int(match[f"{which}guid"], 16)
    return RowEnd(
        id=f"{guid:016x}",
        kind=kind,
        name=match[f"{which}name"] or "",
        port=int(match[f"{which}port"], 16),
        guid=guid,
        port_guid=None if kind == "switch" else int(match[f"{which}port_guid"], 16),
        lid=int(match[f"{which}lid"], 16),
        n_ports=int(match[f"{which}ports"], 16),
        vendor_id=int(match[f"{which}vendor"], 16) & _OUI or None,
        device_id=int(match[f"{which}device"], 16) or None,
    )


IMPORTERS.add(SubnetList.name, SubnetList())
