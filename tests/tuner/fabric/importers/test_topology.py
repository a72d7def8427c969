# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What all formats refuse, and descriptions as odd as devices have them. The formats' own tests have the rest."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.importers.base import read_fabric
from tuner.fabric.importers.remarks import MOST_ODD
from tuner.fabric.importers.topology import MAX_LINE, numbered_lines

TWO = """\
Switch	4 "S-0000000000000010"		# "{s}" base port 0 lid 1 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "{h}" lid 2 4xHDR
[3]	"S-0000000000000010"[4]		# "{s}" lid 1 4xHDR
[4]	"S-0000000000000010"[3]		# "{s}" lid 1 4xHDR

Ca	1 "H-00000000000000a0"		# "{h}"
[1](a1) 	"S-0000000000000010"[1]		# lid 2 lmc 0 "{s}" lid 1 4xHDR
"""


def two(switch: str = "s", host: str = "h") -> str:
    return TWO.replace("{s}", switch).replace("{h}", host)


def read(text: str, *, strict: bool = False) -> FabricDocument:
    return read_fabric(text, source="x", name="x", mtu_bytes=4096, strict=strict).fabric


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("S-0000000000000010", "S-0", 1, "'s' has the GUID 0, which is none"),
        ("(a1)", "(0)", 7, "'h' has the GUID 0, which is none"),
        ("Switch\t4", "Switch\t0", 1, "'s' has 0 ports; a node has from 1 to 254"),
        ("Switch\t4", "Switch\t255", 1, "'s' has 255 ports"),
        ("lid 1 lmc 0", "lid 49152 lmc 0", 1, "LID 49152 of 's' is not that of one port; those end at 49151"),
        ("lid 2 ", "lid 65534 ", 7, "LID 65534 of 'h' is not that of one port"),
        ('"h"', '"' + "h" * MAX_LINE + '"', 2, "is a line of 1050 characters; 1000 are the most"),
    ],
)
def test_impossible_values_are_refused_with_their_line(old: str, new: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        read(two().replace(old, new), strict=True)
    assert error.value.sentence.startswith(sentence)
    assert error.value.line == line
    assert len(read(two().replace(old, new)).nodes) == (1 if "line of" in sentence else 2)


def test_guids_and_lids_that_are_given_twice_are_refused() -> None:
    with pytest.raises(BadInputError, match="GUID 0x0000000000000010 of 'h' is also that of 's'"):
        read(two().replace("H-00000000000000a0", "H-0000000000000010"), strict=True)
    with pytest.raises(BadInputError, match="LID 1 of 'h' is also that of 's'"):
        read(two().replace("lid 2", "lid 1"), strict=True)
    assert [node.guid for node in read(two().replace("H-00000000000000a0", "H-0000000000000010")).nodes] == [0x10, None]
    assert [node.lids for node in read(two().replace("lid 2", "lid 1")).nodes] == [[1], []]


SHARED = """\
Switch	4 "S-0000000000000010"		# "s1" base port 0 lid 1 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "h1" lid 2 4xHDR
[4]	"S-0000000000000020"[4]		# "s2" lid 3 4xHDR

Switch	4 "S-0000000000000020"		# "s2" base port 0 lid 3 lmc 0
[2]	"H-00000000000000a0"[1](a1) 		# "h2" lid 4 4xHDR
[4]	"S-0000000000000010"[4]		# "s1" lid 1 4xHDR

Ca	1 "H-00000000000000a0"		# "h1"
[1](a1) 	"S-0000000000000010"[1]		# lid 2 lmc 0 "s1" lid 1 4xHDR
"""
SECOND = """
Ca	1 "H-00000000000000a0"		# "h2"
[1](a1) 	"S-0000000000000020"[2]		# lid 4 lmc 0 "s2" lid 3 4xHDR
"""


@pytest.mark.parametrize("text", [SHARED, SHARED + SECOND])
def test_two_devices_of_one_guid_are_told_and_the_fabric_is_incomplete(text: str) -> None:
    """An adapter that was flashed with another one's GUID, with a section of its own or without."""
    imported = read_fabric(text, source="x", name="x", mtu_bytes=4096)
    assert [host.name for host in imported.fabric.hosts] == ["h1"]
    places = "port 1 of 'h1' is at port 1 of 's1' and at port 2 of 's2'"
    reason = f"{places}: two devices have the GUID 0x00000000000000a0, and one is left out"
    assert imported.fabric.incomplete == reason
    (remark,) = [remark for remark in imported.remarks if remark.kind == "guid-of-two-devices"]
    assert (remark.count, "two devices have one GUID, or a cable was moved meanwhile" in remark.sentence) == (1, True)
    assert "ends-differ" not in {remark.kind.value for remark in imported.remarks}


# What may stand in a description: anything but a newline; a carriage return only inside.
_descriptions = st.text(st.characters(codec="utf-8", exclude_characters="\n\r"), min_size=1, max_size=64)


@given(switch=_descriptions, host=_descriptions)
def test_any_description_comes_through(switch: str, host: str) -> None:
    imported = read_fabric(two(switch, host), source="x", name="x", mtu_bytes=4096)
    fabric = imported.fabric
    assert [node.name for node in fabric.nodes] == [switch, host]
    assert len(fabric.links) == 1
    assert [remark.sentence for remark in imported.remarks] == ["1 cable leads from a switch to itself and is left out (line 3)"]
    assert validate(FabricDocument, parse_document(fabric_text(fabric, imported.sentences), source="x")) == fabric


def test_equal_descriptions_are_told_apart_by_guids() -> None:
    fabric = read(two("same", "same"))
    assert [(link.a, link.b) for link in fabric.links] == [("guid:0x0000000000000010/1", "guid:0x00000000000000a0/1")]
    assert Counter(node.name for node in fabric.nodes) == {"same": 2}


def test_lines_end_at_newlines_only() -> None:
    assert list(numbered_lines("a\r\nb\u2028\x0bc\n", "x")) == [(1, "a"), (2, "b\u2028\x0bc"), (3, "")]


def test_empty_lines_in_a_row_are_one_and_their_numbers_are_kept() -> None:
    assert list(numbered_lines("a\n\n\n\nb\n\nc", "x")) == [(1, "a"), (4, ""), (5, "b"), (6, ""), (7, "c")]


def test_a_file_of_odd_rows_alone_is_something_else() -> None:
    with pytest.raises(BadInputError, match=r"100,000 lines are not understood and left out; the last is line 100,?"):
        read(two() + "\n" + "odd\n" * (MOST_ODD + 1))
