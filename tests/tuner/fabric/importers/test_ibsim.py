# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Net files, against sentences of ours and against what the real ibsim makes of them (corpus/README.md)."""

from collections import Counter
from pathlib import Path

import pytest

from tuner.documents.fabric import FabricDocument
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import Imported, import_fabric
from tuner.fabric.importers.ibsim import Ibsim

CORPUS = Path(__file__).parent / "corpus"
NET = """\
# a comment
vendid=0x2c9
switchguid=0x100(100)
Switch	4 "leaf"	# "the leaf" base port 0 lid 7 lmc 0
[1]	"a"[1]
# another
[2]	"dual"[2]	w=3

Hca	1 "a"
[1]	"leaf"

Ca	2 "dual"  # two ports
[2]	"leaf"[2]	w=3	# lid 9 lmc 0 "the leaf" lid 7

Rt	1 "alone"
"""


def read(text: str) -> Imported:
    return Ibsim().read(text, source="x.net", name="x", mtu_bytes=2048)


def test_nodes_guids_lids_and_links() -> None:
    fabric = read(NET).fabric
    assert [(s.name, s.guid, s.lid, s.ports) for s in fabric.switches] == [("the leaf", 0x100, 7, 4)]
    assert [(h.name, h.kind, h.guid, h.port_guid, h.ports) for h in fabric.hosts] == [
        ("a", "host", 0x100000, 0x100001, 1),
        ("two ports", "host", 0x100002, None, 2),
        ("alone", "router", None, None, 1),
    ]
    assert [(e.port, e.guid, e.lid) for e in fabric.hosts[1].endports] == [(2, 0x100004, 9)]
    assert [(link.a, link.b, link.rate) for link in fabric.links] == [
        ("the leaf/1", "a/1", "4xSDR"),
        ("the leaf/2", "two ports/2", "4xSDR"),
    ]
    assert fabric.mtu_bytes == 2048


def facts(fabric: FabricDocument) -> object:
    """All of a fabric but its LIDs, which are the subnet manager's, and the order of its parts."""
    return (
        Counter((s.name, s.guid, s.ports) for s in fabric.switches),
        Counter(
            (h.name, h.kind, h.guid, h.port_guid, h.ports, tuple((e.port, e.guid) for e in h.endports)) for h in fabric.hosts
        ),
        Counter((frozenset((link.a, link.b)), link.rate) for link in fabric.links),
    )


@pytest.mark.parametrize("name", ["two-leaves", "every-kind"])
def test_what_ibnetdiscover_sees_on_ibsim_is_the_same_fabric(name: str) -> None:
    net, seen = import_fabric(CORPUS / f"ibsim/{name}.net"), import_fabric(CORPUS / f"ibnetdiscover/{name}.txt")
    assert (net.format, seen.format) == ("ibsim", "ibnetdiscover")
    assert facts(net.fabric) == facts(seen.fabric)
    assert net.notes == seen.notes
    assert build(net.fabric).unreachable() == []


def test_every_kind_holds_what_its_name_says() -> None:
    fabric = import_fabric(CORPUS / "ibsim/every-kind.net").fabric
    rates = {"4xDDR", "4xQDR", "4xFDR", "4xEDR", "2xHDR", "4xHDR", "8xHDR", "12xHDR"}
    assert {link.rate for link in fabric.links} == rates
    assert Counter(host.kind for host in fabric.hosts) == {"host": 5, "aggregation": 1, "router": 1}


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ('[1]\t"leaf"\n', "", 5, "port 1 of 'the leaf' is linked to port 1 of 'a', which has no line in its own section"),
        ('[1]\t"a"[1]', '[1]\t"z"[1]', 5, "'z' has no section"),
        ('[1]\t"a"[1]', '[1]\t"a" [1]', 5, "ibsim takes this for port 1, because of the space"),
        ('[1]\t"a"[1]', '[5]\t"a"[1]', 5, "port 5 of 'the leaf' does not exist; its header says 4 ports"),
        ('[1]\t"a"[1]', '[2]\t"a"[1]', 7, "port 2 of 'the leaf' is given twice; the first is on line 5"),
        ('[1]\t"a"[1]', "[1]\ta[1]", 5, "is not a port's line, which looks like"),
        ('[1]\t"a"[1]', '[1]\t"@a"', 5, "'@a' is an alias, which cannot be imported"),
        ('[1]\t"a"[1]', '[1]\t"a"[1] w=99', 5, "width 99 is no set of bits of that kind; it must be from 1 to 31"),
        (
            '[1]\t"a"[1]',
            '[1]\t"a"[1] w=1',
            5,
            "the two sides of the link have no width in common: the bits 1 here and 2 there, and line",
        ),
        ("# another\n", "vendid=1\n", 6, "ends the ports of 'the leaf' and is lost to ibsim; put an empty line before it"),
        ('Hca\t1 "a"\n', 'Hca\t1 "leaf"\n', 9, "node leaf has a second section; the first is on line 4"),
        ('Hca\t1 "a"\n', 'Hca\t1 "a#b"\n', 9, "id 'a#b' holds a # or @"),
        ('Hca\t1 "a"\n', "Hca\t1 a\n", 9, "'Hca\t1 a' is not a line of a net file; ibsim would drop it"),
        ('Hca\t1 "a"\n', 'Hca\t0400 "a"\n', 9, "'a' has 256 ports; a node has from 1 to 254"),
        ('Hca\t1 "a"\n', 'Hca\t08 "a"\n', 9, "'08' is not a number; one that begins with 0 is octal"),
        ('Hca\t1 "a"\n', 'caguid=0x100\nHca\t1 "a"\n', 10, "GUID 0x0000000000000100 of 'a' is also that of 'the leaf'"),
        ('Hca\t1 "a"\n', 'caguid=0xfffffffffffffffe\nHca\t2 "a"\n', 10, "GUIDs of 'a', from 0xfffffffffffffffe on, do not fit"),
        ("vendid=0x2c9", 'include "rack.net"', 2, 'include "rack.net": put the lines of that file here'),
        ("vendid=0x2c9", 'do Unlink "leaf"[1]', 2, 'do Unlink "leaf"[1]: commands of ibsim cannot be imported'),
        ("vendid=0x2c9", "module=rack", 2, "is not a module's line"),
        ("vendid=0x2c9", "width=0", 2, "width 0 is no set of bits"),
        ("vendid=0x2c9", "speed+1", 2, "'speed+1' lacks its number, such as speed+1=0x200000"),
        ("vendid=0x2c9", '[1] "a"[1]', 2, "is a port outside a record; does a header before it say too few ports?"),
        ("vendid=0x2c9", "switchgiud=1", 2, "'switchgiud=1' is not a line of a net file"),
        ("lid 7 lmc 0\n", "lid 50000 lmc 0\n", 4, "LID 50000 of 'the leaf' is not that of one port; those end at 49151"),
    ],
)
def test_what_cannot_be_represented_is_refused(old: str, new: str, line: int, sentence: str) -> None:
    assert old in NET
    with pytest.raises(BadInputError) as error:
        read(NET.replace(old, new, 1))
    assert error.value.sentence.startswith(sentence)
    assert (error.value.source, error.value.line) == ("x.net", line)


def test_a_record_that_has_all_its_ports_needs_no_empty_line() -> None:
    fabric = read('Switch 1 "s"\n[1] "h"[1]\nHca 1 "h"\n[1] "s"[1]\nspeed=7\n').fabric
    assert [link.rate for link in fabric.links] == ["4xSDR"]


def test_modules_prefix_ids_and_guids_count_from_their_base() -> None:
    fabric = read(
        'module="r1"\nswitchguid=0x500\nswitchguid+0x20\nSwitch 2 "s"\n[1] "r2#s"[1]\n\n'
        'module="r2"\nSwitch 2 "s"\n[1] "r1#s"[1]\n'
    ).fabric
    assert [(s.name, s.guid) for s in fabric.switches] == [("r1#s", 0x520), ("r2#s", 0x521)]
