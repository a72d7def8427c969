# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

import pytest

from tuner.errors import BadInputError
from tuner.fabric.importers.lft_dump import Entry, read_tables

CORPUS = Path(__file__).parent / "corpus/lft_dump"
OPENSM = """\
Unicast lids [0-8] of switch Lid 1 guid 0x0000000000200000 ('leaf (1)'):
0x0001 000 # Switch portguid 0x0000000000200000: 'leaf (1)'
0x0002 255 # unknown node and type
0x000a 254 # Channel Adapter portguid 0x0000000000100001: 'a 'b''
8 lids dumped
"""


def ports(name: str) -> dict[int, dict[int, int]]:
    tables = read_tables((CORPUS / name).read_text(), source=name)
    return {table.guid: {lid: entry.port for lid, entry in table.entries.items()} for table in tables}


def test_entries_have_ports_and_the_guids_of_their_destinations() -> None:
    (table,) = read_tables(OPENSM, source="x")
    assert (table.line, table.guid, table.lid) == (1, 0x200000, 1)
    assert table.entries == {1: Entry(2, 0, 0x200000), 2: Entry(3, 255, None), 10: Entry(4, 254, 0x100001)}


def test_opensm_and_dump_fts_say_the_same_of_one_subnet() -> None:
    expected = ports("two-leaves.opensm-lfts.dump")
    assert [len(table) for table in expected.values()] == [8, 8, 8, 8]
    assert ports("two-leaves.dump_fts.txt") == ports("two-leaves.dump_fts-n.txt") == expected
    assert ports("one-switch.ibroute.txt") == {0x200000: expected[0x200000]}
    assert ports("two-leaves-lmc.dump_fts.txt") == ports("two-leaves-lmc.opensm-lfts.dump")


def test_further_paths_of_a_port_have_its_guid() -> None:
    for name in ("two-leaves-lmc.dump_fts.txt", "two-leaves-lmc.opensm-lfts.dump"):
        table = next(t for t in read_tables((CORPUS / name).read_text(), source=name) if t.guid == 0x200000)
        assert [table.entries[lid].port_guid for lid in (2, 3)] == [0x100001, 0x100001]


def test_ports_that_ibroute_calls_illegal_are_kept_as_they_are() -> None:
    header = "Unicast lids [0x0-0x2] of switch Lid 7 guid 0x1 (s):\n"
    lines = "0x0001 255 : (illegal port)\n0x0002 003 : (path #1 - illegal port)\n"
    (table,) = read_tables(f"{header}{lines}2 lids dumped \n", source="x")
    assert table.entries == {1: Entry(2, 255, None), 2: Entry(3, 3, None)}


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("8 lids dumped\n", "", 5, "the table of line 1 has no end, '… lids dumped'; is the file cut short?"),
        ("8 lids dumped\n", OPENSM, 5, "a table begins before that of line 1 has ended"),
        (
            "8 lids dumped\n",
            "8 lids dumped\n" + OPENSM,
            6,
            "switch 0x0000000000200000 has a second table; the first is on line 1",
        ),
        ("8 lids dumped\n", "8 lids dumped\n0x0001 000\n", 6, "is an entry outside a switch's table"),
        ("8 lids dumped\n", "Multicast mlids [0xc000-0xc3ff] of switch", 5, "begins multicast tables, which cannot be imported"),
        ("0x0002", "0x000a", 4, "LID 0x000a is given twice; the first is on line 3"),
        ("0x0002", "0xc000", 3, "0xc000 is not a unicast LID; those end at 0xbfff"),
        ("0x0002 255", "0x0002 25", 3, "'0x0002 25 # unknown node and type' is not an entry, which looks like: 0x0001 003"),
        ("guid 0x", "guid ", 1, "is not a table's header, which looks like: Unicast lids"),
    ],
)
def test_what_is_not_such_a_dump_is_refused(old: str, new: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        read_tables(OPENSM.replace(old, new, 1), source="x")
    assert error.value.sentence.startswith(sentence)
    assert (error.value.source, error.value.line) == ("x", line)


def test_a_text_without_tables_is_refused() -> None:
    with pytest.raises(BadInputError, match="x: holds no forwarding tables"):
        read_tables("", source="x")
