# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Reads forwarding tables as OpenSM, ibroute and dump_fts (formerly dump_lfts.sh) print them.

OpenSM writes opensm-lfts.dump into its dump folder after each heavy sweep when its log flags hold the bit of routing (`-D 0x43`);
ibroute asks one switch, dump_fts all of them. Their texts differ in little, and OpenSM too reads them by one reader:

    Unicast lids [0-8] of switch Lid 1 guid 0x0000000000200000 ('leaf 1'):
    0x0002 001 # Channel Adapter portguid 0x0000000000100001: 'host 1'
    8 lids dumped

    Unicast lids [0x0-0x8] of switch DR path slid 0; dlid 0; 0,3,2 guid 0x0000000000200001 (leaf 2):
      Lid  Out   Destination
           Port     Info
    0x0002 003 : (Channel Adapter portguid 0x0000000000100001: 'host 1')
    0x0003 003
    8 valid lids dumped

With -n, ibroute and dump_fts leave out what follows the port.
"""

import re
from dataclasses import dataclass, field
from functools import lru_cache

from tuner.errors import BadInputError
from tuner.fabric.importers.topology import MAX_LID, numbered_lines

_MENTIONED = re.compile(r"^Unicast lids \[", re.MULTILINE)
_HEADER = re.compile(
    r"Unicast lids \[[0-9a-fx]{1,6}-[0-9a-fx]{1,6}\] of switch "
    r"(?:Lid (?P<lid>[0-9]{1,5})|DR path [^g]*?) guid 0x(?P<guid>[0-9a-f]{1,16}) \(.*"
)
_ENTRY = re.compile(r"0x(?P<lid>[0-9a-fA-F]{4}) (?P<port>[0-9]{3})(?P<rest>.*)")
_PORT_GUID = re.compile(r"\bportguid 0x([0-9a-f]{1,16})\b")
_END = re.compile(r"[0-9]+ (?:valid )?lids dumped")
_OTHER = re.compile(r"Lid +Out +Destination$|Port +Info$|#|ibwarn:|\*\*\* WARNING \*\*\*")  # of no interest here


@dataclass(frozen=True, slots=True)  # large fabrics have millions
class Entry:
    line: int
    port: int
    port_guid: int | None
    """Port GUID of the destination, if the text has it."""


@dataclass
class SwitchTable:
    """One switch's table."""

    line: int
    guid: int
    lid: int | None
    entries: dict[int, Entry] = field(default_factory=dict)
    """Entries by destination LID."""


def read_tables(text: str, *, source: str) -> list[SwitchTable]:
    """The tables in a text, one of each switch. Raises BadInputError with the line."""
    if _MENTIONED.search(text) is None:
        raise BadInputError("holds no forwarding tables; opensm-lfts.dump and what ibroute or dump_fts print do", source=source)
    tables: dict[int, SwitchTable] = {}
    current: SwitchTable | None = None

    def error(sentence: str) -> BadInputError:
        return BadInputError(sentence, source=source, line=line)

    line = 0
    for line, raw in numbered_lines(text, source):
        content = raw.strip()
        if match := _ENTRY.match(content):
            if current is None:
                raise error("is an entry outside a switch's table")
            lid, entry = _entry(match, line)
            if not 1 <= lid <= MAX_LID:
                if lid == 0:
                    continue
                raise error(f"0x{lid:04x} is not a unicast LID; those end at 0x{MAX_LID:04x}")
            if lid in current.entries:
                raise error(f"LID 0x{lid:04x} is given twice; the first is on line {current.entries[lid].line}")
            current.entries[lid] = entry
        elif content.startswith("Unicast lids "):
            if current is not None:
                raise error(f"a table begins before that of line {current.line} has ended; is the file cut short?")
            current = _header(content, line, source)
            if (first := tables.setdefault(current.guid, current)) is not current:
                raise error(f"switch 0x{current.guid:016x} has a second table; the first is on line {first.line}")
        elif content.startswith("Multicast mlids "):
            raise error("begins multicast tables, which cannot be imported; take the dump without -M")
        elif _END.match(content):
            current = None
        elif content and not _OTHER.match(content):
            raise error(f"'{content[:40]}' is not an entry, which looks like: 0x0001 003")
    if current is not None:
        raise error(f"the table of line {current.line} has no end, '… lids dumped'; is the file cut short?")
    return list(tables.values())


def _header(content: str, line: int, source: str) -> SwitchTable:
    match = _HEADER.fullmatch(content)
    if match is None:
        example = "Unicast lids [0-8] of switch Lid 1 guid 0x0002c90200000001 ('name'):"
        raise BadInputError(f"is not a table's header, which looks like: {example}", source=source, line=line)
    return SwitchTable(line, int(match["guid"], 16), int(match["lid"]) if match["lid"] else None)


def _entry(match: re.Match[str], line: int) -> tuple[int, Entry]:
    port_guid = _PORT_GUID.search(match["rest"])
    return int(match["lid"], 16), Entry(line, int(match["port"]), _guid(port_guid[1]) if port_guid else None)


@lru_cache(maxsize=2**16)
def _guid(text: str) -> int:
    """Returns the same number for the same text: every table has all destinations."""
    return int(text, 16)
