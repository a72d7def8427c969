# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents import lft
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build

FABRIC = """\
ibcc_fabric: 1
name: x
mtu_bytes: 4096
routing: tables
switches:
- {name: S, lid: 9, ports: 4}
hosts:
- {name: A, lid: 1}
- {name: B, lid: 2}
- {name: C, lid: 40}
links:
- {a: A/1, b: S/1, rate: 4xHDR}
- {a: B/1, b: S/2, rate: 4xHDR}
- {a: C/1, b: S/3, rate: 4xHDR}
lfts:
  S: {1: [1, 2], 9: [0], 40: [3]}
"""


def read(text: str) -> FabricDocument:
    return validate(FabricDocument, parse_document(text, source="x.yaml"))


@given(st.dictionaries(st.integers(1, lft.MAX_LID), st.integers(0, 255), max_size=40))
def test_runs_hold_every_route_and_no_other(routes: dict[int, int]) -> None:
    runs = lft.runs(routes)
    assert dict(lft.entries(runs)) == {lid: port for lid, port in routes.items() if port != lft.NO_ROUTE}
    assert lft.complaint(runs, 254) is None


def test_short_gaps_are_written_out_and_long_ones_begin_a_run() -> None:
    assert lft.runs({3: 1, 5: 2, 13: 3, 22: 4}) == {3: (1, 255, 2, *[255] * 7, 3), 22: (4,)}


def test_documents_hold_tables_and_packets_follow_them() -> None:
    fabric = read(FABRIC)
    assert fabric.lfts == {"S": {1: (1, 2), 9: (0,), 40: (3,)}}
    assert read(fabric_text(fabric)) == fabric
    assert "  S: {1: [1, 2], 9: [0], 40: [3]}\n" in fabric_text(fabric)
    built = build(fabric)
    assert built.unreachable() == []
    assert [port for _, port in built.fabric.route(built.endport("A"), built.endport("C"))] == [1, 3]


def test_forwarding_goes_over_the_tables_and_tables_over_the_routing() -> None:
    text = FABRIC.replace("1: [1, 2]", "1: [2, 2]")
    assert len(build(read(text)).unreachable()) == 1
    assert build(read(text + "forwarding: {S: {A: 1}}\n")).unreachable() == []
    assert len(build(read(text.replace("routing: tables\n", ""))).unreachable()) == 1


@pytest.mark.parametrize(
    ("old", "new", "sentence"),
    [
        (
            "9: [0]",
            "9: [5]",
            "forwarding table of 'S': LID 9 leaves by port 5, which does not exist; the switch has ports 1 to 4",
        ),
        ("9: [0]", "2: [0]", "forwarding table of 'S': LID 2 is in two runs; the one before goes to LID 2"),
        (
            "9: [0]",
            "49151: [0, 0]",
            "forwarding table of 'S': the run from LID 49151 goes to LID 49152; unicast LIDs end at 49151",
        ),
        ("9: [0]", "49152: [0]", "is 49152; it must be from 1 to 49151"),
        ("9: [0]", "x: [0]", "is 'x'; a whole number is expected"),
        ("9: [0]", "9: [256]", "lfts.S.9[0] is 256; it must be from 0 to 255"),
        ("9: [0]", "9: 3", "lfts.S.9 is 3; a list is expected"),
        ("  S: {", "  A: {", "'A' is not a switch"),
        ("  S: {", "  T: {", "unknown node 'T'"),
    ],
)
def test_tables_that_do_not_fit_are_refused_with_their_line(old: str, new: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        read(FABRIC.replace(old, new))
    assert sentence in error.value.sentence
    assert error.value.line == 16


def test_a_route_into_a_port_without_a_link_is_refused_with_its_line() -> None:
    with pytest.raises(BadInputError, match=r"forwarding of switch 'S' to 'lid:40': port 4 of 'S' has no link"):
        build(read(FABRIC.replace("40: [3]", "40: [4]")))
