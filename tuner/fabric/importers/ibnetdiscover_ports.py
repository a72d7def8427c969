# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Imports what `ibnetdiscover -p` prints: a row for each port that is not down, with its LID, number, GUID and rate.

    CA    88  1 0xc0ffee0000000b02 4x HDR - SW    51 79 0xc0ffee0000000a00 ( 'w20 mlx5_3' - 'row4-leaf-1' )
    SW    51 22 0xc0ffee0000000a00 4x QDR                                    'row4-leaf-1'

The GUIDs of adapters are those of ports, so an adapter of several ports is a host for each of them.
"""

import re

from tuner.fabric.importers.base import IMPORTERS, Imported, imported
from tuner.fabric.importers.link_rows import LinkRows, RowEnd
from tuner.fabric.importers.remarks import Odd
from tuner.fabric.importers.topology import Kind, numbered_lines

_END = r"(?P<{0}word>CA|SW|RT) +(?P<{0}lid>[0-9]{{1,6}}) +(?P<{0}port>[0-9]{{1,4}}) +0x(?P<{0}guid>[0-9a-f]{{1,16}})"
_ROW = re.compile(
    rf"{_END.format('a')} +(?P<width>[0-9?]{{1,2}}x?) +(?P<speed>[A-Z0-9?]{{1,9}})[ \t]*"
    rf"(?:- {_END.format('b')} +\( '(?P<aname>.*)' - '(?P<bname>.*)' \)|'(?P<name>.*)')"
)
_MENTIONED = re.compile(r"^[ \t]*(CA|SW|RT) +[0-9]+ +[0-9]+ 0x[0-9a-f]{16} +[0-9?]+x? ", re.MULTILINE)
_KINDS: dict[str, Kind] = {"CA": "host", "SW": "switch", "RT": "router"}


class IbNetDiscoverPorts:
    """The importer; see the module's text."""

    name = "ibnetdiscover -p"

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
                if content[:3] not in ("CA ", "SW ", "RT "):
                    rows.odd_line(line, content, self.name)
                    continue
                example = "CA 88 1 0x0002c90300000002 4x HDR - SW 51 79 0x0002c90200000001 ( 'host' - 'leaf' )"
                rows.remarks.add(Odd.ROW, f"is not a port's row, which looks like: {example}", line)
            elif match["name"] is not None:
                rows.add_end(_end(match, "a", match["name"]), line)
            else:
                rate, width = rows.rate_of(match["width"], match["speed"], line)
                a, b = _end(match, "a", match["aname"]), _end(match, "b", match["bname"])
                rows.add_link(a, b, rate, line, width=width)
        rows.complete()
        return imported(rows, name, mtu_bytes, self.name)


def _end(match: re.Match[str], which: str, name: str) -> RowEnd:
    kind, guid = _KINDS[match[f"{which}word"]], int(match[f"{which}guid"], 16)
    return RowEnd(
        id=f"{match[f'{which}word']}-{guid:016x}",
        kind=kind,
        name=name,
        port=int(match[f"{which}port"]),
        guid=guid,
        port_guid=None if kind == "switch" else guid,
        lid=int(match[f"{which}lid"]),
    )


IMPORTERS.add(IbNetDiscoverPorts.name, IbNetDiscoverPorts())
