# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import re
from collections import Counter
from pathlib import Path

import pytest

from tuner.document_base.model import validate
from tuner.document_base.yaml_core import parse_document
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import Imported, import_fabric, read_fabric
from tuner.fabric.importers.ibnetdiscover import IbNetDiscover

# Two switches with two links of different rates, a host, a two-port host, a router and an aggregation node.
SITE = """\
#
# Topology file: generated on Mon Nov  2 10:00:00 2026
#
# Initiated from node 00000000000000a0 port 00000000000000a1

vendid=0x2c9
devid=0xd2f2
sysimgguid=0x10
switchguid=0x10(10)
Switch	4 "S-0000000000000010"		# "leaf "1"" enhanced port 0 lid 10 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "node a" lid 1 4xHDR
[2]	"S-0000000000000020"[1]		# "spine" lid 20 4xNDR
[3][ext 7]	"S-0000000000000020"[2]		# "spine" lid 20 2xNDR
[4]	"H-00000000000000b0"[2](b2) 		# "node b" lid 3 12xFDR10

switchguid=0x20(20)
Switch	4 "S-0000000000000020"		# "spine" base port 0 lid 20 lmc 0
[2]	"S-0000000000000010"[3][ext 7]		# "leaf "1"" lid 10 2xNDR
[1]	"S-0000000000000010"[2]		# "leaf "1"" lid 10 4xNDR
[3]	"R-00000000000000c0"[1](c1) 		# "gateway" lid 4 1xSDR
[4]	"H-00000000000000d0"[1](d0) 		# "Mellanox Technologies Aggregation Node" lid 5 4xXDR s=256 w=2

caguid=0xa0
Ca	1 "H-00000000000000a0"		# "node a"
[1](a1) 	"S-0000000000000010"[1]		# lid 1 lmc 0 "leaf "1"" lid 10 4xHDR

caguid=0xb0
Ca	2 "H-00000000000000b0"		# "node b"
[2](b2) 	"S-0000000000000010"[4]		# lid 3 lmc 0 "leaf "1"" lid 10 12xFDR10

rtguid=0xc0
Rt	1 "R-00000000000000c0"		# "gateway"
[1](c1) 	"S-0000000000000020"[3]		# lid 4 lmc 0 "spine" lid 20 1xSDR

caguid=0xd0
Ca	1 "H-00000000000000d0"		# "Mellanox Technologies Aggregation Node"
[1](d0) 	"S-0000000000000020"[4]		# lid 5 lmc 0 "spine" lid 20 4xXDR
"""

GUESS = (
    "the congestion control of the devices is a guess by their device ids, names and speeds: 2 switches, 2 with NVIDIA's "
    "(nvidia-dcqcn); 2 adapters, 1 with NVIDIA's (nvidia-dcqcn), 1 not known (unknown). Say what those have that are not known: "
    "a10, nvidia-dcqcn, nvidia-ppcc, both or none"
)
NDR = "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"


def read(text: str, *, strict: bool = False) -> Imported:
    return IbNetDiscover().read(text, source="site.txt", name="site", mtu_bytes=4096, strict=strict)


def kinds(text: str) -> dict[str, tuple[int, tuple[int, ...]]]:
    """Number and lines of what was odd, by kind."""
    return {remark.kind.value: (remark.count, remark.lines) for remark in read(text).remarks}


def test_every_node_and_link_is_there_once() -> None:
    fabric = read(SITE).fabric
    assert [(s.name, s.guid, s.lid, s.ports) for s in fabric.switches] == [('leaf "1"', 0x10, 10, 4), ("spine", 0x20, 20, 4)]
    assert [(h.name, h.kind, h.guid, h.ports) for h in fabric.hosts] == [
        ("node a", "host", 0xA0, 1),
        ("node b", "host", 0xB0, 2),
        ("gateway", "router", 0xC0, 1),
        ("Mellanox Technologies Aggregation Node", "aggregation", 0xD0, 1),
    ]
    assert [(link.a, link.b, link.rate) for link in fabric.links] == [
        ('leaf "1"/1', "node a/1", "4xHDR"),
        ('leaf "1"/2', "spine/1", "4xNDR"),
        ('leaf "1"/3', "spine/2", "2xNDR"),
        ('leaf "1"/4', "node b/2", "12xFDR10"),
        ("spine/3", "gateway/1", "1xSDR"),
        ("spine/4", "Mellanox Technologies Aggregation Node/1", "4xXDR"),
    ]


def test_lids_and_port_guids_find_hosts() -> None:
    hosts = build(read(SITE).fabric).hosts
    assert hosts.find("guid:0xa0") == hosts.find("guid:0xa1") == hosts.find("lid:1") == hosts.find("node a")
    assert hosts.find("lid:3").port == hosts.find("guid:0xb2").port == 2


def test_what_is_written_reads_back() -> None:
    fabric = read(SITE).fabric
    assert validate(FabricDocument, parse_document(fabric_text(fabric), source="x")) == fabric


def test_the_order_of_sections_does_not_matter_for_what_is_linked() -> None:
    head, *sections = SITE.split("\n\n")
    backwards = read("\n\n".join([head, *reversed(sections)])).fabric
    ends = {frozenset([(link.a, link.rate), (link.b, link.rate)]) for link in read(SITE).fabric.links}
    assert {frozenset([(link.a, link.rate), (link.b, link.rate)]) for link in backwards.links} == ends


def test_adapters_without_a_section_come_from_their_switches() -> None:
    imported = read(SITE[: SITE.index("caguid=0xa0")])
    assert len(imported.fabric.hosts) == 4
    assert imported.fabric.hosts[1].ports == 2
    assert len(imported.fabric.links) == 6
    assert imported.notes == ("4 channel adapters without a section were taken from their switches' lines", GUESS)


def test_an_adapter_without_a_section_has_no_port_beyond_those_of_any_node() -> None:
    """A fuzzer's: the first line that mentions the adapter makes it, and a later one gave it port 255."""
    text = """\
Switch	4 "S-0000000000000010"		# "s" base port 0 lid 10 lmc 0
[1]	"H-00000000000000a0"[1](a1) 		# "h" lid 1 4xHDR
[2]	"H-00000000000000a0"[255](a2) 		# "h" lid 2 4xHDR
"""
    with pytest.raises(BadInputError, match="site.txt:3: 'h' has port 255; a node has from 1 to 254"):
        read(text, strict=True)
    assert len(read(text).fabric.links) == 1


def test_a_cable_from_a_switch_to_itself_is_left_out() -> None:
    text = SITE.replace("Switch	4 ", "Switch	6 ", 1).replace(
        '[4]	"H-00000000000000b0"',
        '[5]	"S-0000000000000010"[6]		# "leaf "1"" lid 10 4xNDR\n'
        '[6]	"S-0000000000000010"[5]		# "leaf "1"" lid 10 4xNDR\n[4]	"H-00000000000000b0"',
        1,
    )
    imported = read(text, strict=True)  # it is sound, so strict readers take it too
    assert len(imported.fabric.links) == 6
    assert imported.notes == (GUESS,)
    assert imported.sentences[1:] == ("1 cable leads from a switch to itself and is left out (line 14)",)


def test_lines_of_other_programs_are_left_out_and_told() -> None:
    imported = read("Mon Nov 2\n" + SITE)
    assert imported.notes == (GUESS,)
    assert [remark.sentence for remark in imported.remarks] == ["1 line is not understood and left out (line 1)"]
    assert imported.fabric.incomplete is None


A_SECTION = '[1](a1) \t"S-0000000000000010"[1]\t\t# lid 1 lmc 0 "leaf "1"" lid 10 4xHDR\n'


@pytest.mark.parametrize(
    ("old", "new", "line", "sentence"),
    [
        ("lid 10 4xHDR", "lid 10 4xEDR", 11, "the rate of port 1 of 'node a' is '4xHDR' here, but line 25 has '4xEDR'"),
        ("lid 1 lmc 0", "lid 9 lmc 0", 11, "the LID of port 1 of 'node a' is '1' here, but line 25 has '9'"),
        (
            "[1](a1) \t",
            "[1](a9) \t",
            11,
            "the port GUID of port 1 of 'node a' is '0x00000000000000a9' here, but line 25 has '0x00000000000000a1'",
        ),
        ('# "node a"\n', '# "node z"\n', 11, "the name of port 1 of 'node z' is 'node a' here"),
        (
            '[1]\t"S-0000000000000010"[2]',
            '[1]\t"S-0000000000000010"[1]',
            12,
            "port 2 of 'leaf \"1\"' is linked to port 1 of 'spine', but line 19 links that to port 1 of 'leaf \"1\"'",
        ),
        (A_SECTION, "", 11, "port 1 of 'leaf \"1\"' is linked to port 1 of 'node a', which has no line in its own section"),
        (
            '[2]\t"S-0000000000000020"[1]',
            '[2]\t"S-0000000000000021"[1]',
            12,
            "'spine' (S-0000000000000021) has no section; is the file cut short?",
        ),
        ("[3][ext 7]\t", "[2]\t", 13, "port 2 of 'leaf \"1\"' is given twice; the first is on line 12"),
        ("[3][ext 7]\t", "[5]\t", 13, "port 5 of 'leaf \"1\"' does not exist; its header says 4 ports"),
        ("4xNDR", "4xNRD", 12, "link rate '4xNRD' is not a width"),
        ("4xNDR", "4x??", 12, "ibnetdiscover could not read the rate of this link and printed '4x??'"),
        ('"S-0000000000000020"[1]\t\t#', '"S-0000000000000020"[1]', 12, "is not a port's line, which looks like"),
        ('Switch\t4 "S-0000000000000020"', 'Switch\t4 "H-0000000000000020"', 17, "is not a node's header, which looks like"),
        (
            'Switch\t4 "S-0000000000000020"',
            'Switch\t4 "S-0000000000000010"',
            17,
            "node S-0000000000000010 has a second section; the first is on line 10",
        ),
        ("lmc 0\n[1]", "lmc 0\n\n[1]", 12, "port 1 stands outside a node's section"),
    ],
)
def test_sides_that_disagree_and_broken_lines_are_errors_of_strict_readers(old: str, new: str, line: int, sentence: str) -> None:
    assert old in SITE
    with pytest.raises(BadInputError) as error:
        read(SITE.replace(old, new, 1), strict=True)
    assert error.value.sentence.startswith(sentence)
    assert (error.value.source, error.value.line) == ("site.txt", line)


def test_a_file_that_ends_too_early_is_an_error_of_strict_readers() -> None:
    lines = SITE.splitlines(keepends=True)
    for end in (14, 18, 25, 33):  # after the first switch, in the second, after the first adapter, before the last one
        with pytest.raises(BadInputError, match=r"which has no line in its own section|has no section; is the file cut short"):
            read("".join(lines[:end]), strict=True)


def links(text: str) -> set[tuple[str, str, str]]:
    """Ends and rate of each link."""
    return {(min(link.a, link.b), max(link.a, link.b), link.rate) for link in read(text).fabric.links}


LINKS = links(SITE)


@pytest.mark.parametrize(
    ("old", "new", "kind", "line"),
    [
        ("lid 1 lmc 0", "lid 9 lmc 0", "lids-differ", 11),
        ("[1](a1) \t", "[1](a9) \t", "port-guids-differ", 11),
        (A_SECTION, "", "link-on-one-side", 11),
        ("4xNDR", "4xNRD", "row-not-understood", 12),
        ("4xNDR", "4x??", "rate-from-other-end", 12),
        ('"S-0000000000000020"[1]\t\t#', '"S-0000000000000020"[1]', "row-not-understood", 12),
        ("lid 20 4xNDR", "lid 20", "rate-from-other-end", 12),
        ('Switch\t4 "S-0000000000000020"', 'Switch\t4 "H-0000000000000020"', "row-not-understood", 17),
        ("lmc 0\n[1]", "lmc 0\n\n[1]", None, 0),
        ("lid 1 4xHDR", "lid 65535 4xHDR", None, 0),
        ("lid 1 lmc 0", "lid 0 lmc 0", None, 0),
        ("[3][ext 7]\t", "[5]\t", "port-does-not-exist", 13),
    ],
)
def test_one_odd_row_costs_no_link(old: str, new: str, kind: str | None, line: int) -> None:
    assert old in SITE
    text = SITE.replace(old, new, 1)
    moved = {(a.replace('"/3', '"/5') if kind == "port-does-not-exist" else a, b, rate) for a, b, rate in LINKS}
    assert links(text) == moved
    if kind is not None:
        assert kinds(text)[kind] == (1, (line,))


def test_the_lower_rate_holds_and_the_own_name_does() -> None:
    text = SITE.replace("lid 10 4xHDR", "lid 10 1xHDR", 1).replace('# "node a"\n', '# "node z"\n', 1)
    assert ('leaf "1"/1', "node z/1", "1xHDR") in links(text)
    assert kinds(text) == {"rates-differ": (1, (11,)), "names-differ": (1, (11,))}


def test_a_row_that_contradicts_two_that_agree_is_left_out() -> None:
    text = SITE.replace('[1]\t"S-0000000000000010"[2]', '[1]\t"S-0000000000000010"[1]', 1)
    assert links(text) == LINKS
    assert kinds(text) == {"ends-differ": (1, (12,))}


def test_a_rate_that_neither_end_knows_is_that_of_most_links_like_it() -> None:
    text = SITE.replace("4xNDR", "4x???").replace("2xNDR", "2x???")
    assert [link.rate for link in read(text.replace("4xHDR", "4xEDR").replace("4xXDR", "4xEDR")).fabric.links][:3] == [
        "4xEDR",
        "4xEDR",
        "2xEDR",
    ]
    assert kinds(text)["rate-unknown"] == (2, (12, 13))


def test_what_a_cut_file_mentions_is_there_and_the_document_is_marked() -> None:
    whole = read(SITE).fabric
    lines = SITE.splitlines(keepends=True)
    cut = read("".join(lines[:25]))
    assert len(cut.fabric.links) == len(whole.links)
    assert cut.fabric.incomplete == "3 nodes have no section, the first is 'node b'"
    assert validate(FabricDocument, parse_document(fabric_text(cut.fabric), source="x")) == cut.fabric
    begin = read("".join(lines[:13])).fabric
    assert (begin.incomplete, [one.name for one in begin.switches]) == (
        "1 node has no section, the first is 'spine'",
        ['leaf "1"', "spine"],
    )


def test_a_section_without_its_header_is_found_by_the_rows_at_the_other_ends_or_by_its_guid() -> None:
    header = 'Switch\t4 "S-0000000000000020"\t\t# "spine" base port 0 lid 20 lmc 0\n'
    assert links(SITE.replace(header, "")) == LINKS
    fabric = read(SITE.replace(header, "")).fabric
    assert [(one.name, one.lid) for one in fabric.switches] == [('leaf "1"', 10), ("spine", 20)]
    assert read("Sw!tch\n[odd\n\n" + SITE).fabric == read(SITE).fabric
    alone = read('switchguid=0x20(20)\nSwi&ch\n[3]\t"R-00000000000000c0"[1](c1) \t\t# "gateway" lid 4 1xSDR\n')
    assert [(link.a, link.b) for link in alone.fabric.links] == [("S-0000000000000020/3", "gateway/1")]


def test_queries_that_failed_mark_the_document() -> None:
    warning = "src/query_smp.c:199; umad (DR path slid 0; dlid 0; 0,1,1 Attr 0x11:0) bad status 110; Connection timed out\n"
    imported = read(warning + SITE)
    assert imported.fabric.incomplete == "1 query of the discovery failed (line 1)"
    assert validate(FabricDocument, parse_document(fabric_text(imported.fabric), source="x")).incomplete is not None
    with pytest.raises(BadInputError, match="site.txt:1: says that a query failed"):
        read(warning + SITE, strict=True)


def test_a_text_that_stands_indented_as_in_a_manual_page_is_read() -> None:
    """The manual page of ibnetdiscover has an example whose links run at another rate at each end."""
    text = "\n".join(f"       {line}" for line in SITE.replace("lid 10 4xNDR", "lid 10 1xNDR").splitlines())
    imported = import_fabric_text(text)
    assert (imported.format, len(imported.fabric.links)) == ("ibnetdiscover", 6)
    assert [link.rate for link in imported.fabric.links][1] == "1xNDR"


def import_fabric_text(text: str) -> Imported:
    return read_fabric(text, source="page.txt", name="page", mtu_bytes=4096)


class TestCases:
    """Texts of sites, with what was odd in them."""

    def test_time_outs(self, shared: Path) -> None:
        imported = import_fabric(shared / "cases/c02-timed-out.txt")
        assert imported.fabric.incomplete == "1 query of the discovery failed (line 1)"
        assert len(imported.fabric.links) == 4

    def test_rates_that_one_end_does_not_know(self, shared: Path) -> None:
        imported = import_fabric(shared / "cases/c17-unknown-rate-on-one-side.txt")
        assert [link.rate for link in imported.fabric.links] == ["2xNDR", "2xNDR", "2xNDR", "4xNDR"]
        assert [remark.sentence for remark in imported.remarks] == [
            "4 links have their rate from the end that knows it (lines 6, 7, 8 and 1 more)"
        ]


@pytest.fixture(scope="module")
def text(shared: Path) -> str:
    return (shared / NDR).read_text()


@pytest.fixture(scope="module")
def fabric(shared: Path) -> FabricDocument:
    return import_fabric(shared / NDR).fabric


class TestRealFabric:
    """The NDR fabric of 582 adapter ports."""

    def test_counts_are_those_of_the_text(self, text: str, fabric: FabricDocument) -> None:
        assert len(fabric.switches) == len(re.findall("^Switch", text, re.MULTILINE)) == 40
        assert len(fabric.hosts) == len(re.findall("^Ca", text, re.MULTILINE)) == 582
        assert 2 * len(fabric.links) == len(re.findall(r"^\[\d+\]", text, re.MULTILINE)) == 2 * 1114
        assert Counter(host.kind for host in fabric.hosts) == {"host": 542, "aggregation": 40}
        assert {link.rate for link in fabric.links} == {"4xNDR"}
        assert {switch.ports for switch in fabric.switches} == {65}

    def test_all_devices_are_taken_for_nvidias(self, fabric: FabricDocument) -> None:
        others = [
            host.name for host, one in zip(fabric.nodes, fabric.device_congestion_control(), strict=True) if one.dialect == "a10"
        ]
        assert set(others) <= {"Mellanox Technologies Aggregation Node"}

    def test_every_line_of_a_switch_is_a_link(self, text: str, fabric: FabricDocument) -> None:
        """Read again with nothing but split(): (switch GUID, port, peer GUID, peer port)."""
        expected = set()
        guid = 0
        for line in text.splitlines():
            if line.startswith(("Switch", "Ca")):
                guid = int(line.split('"')[1][2:], 16)
            elif line.startswith("["):
                quoted = line.split('"')
                port, peer_port = line[1:].split("]")[0], quoted[2][1:].split("]")[0]
                expected.add((guid, int(port), int(quoted[1][2:], 16), int(peer_port)))
        ends = [((fabric.guid_of(a.node), a.port), (fabric.guid_of(b.node), b.port)) for _, a, b in fabric.ends()]
        assert {(*a, *b) for a, b in ends} | {(*b, *a) for a, b in ends} == expected

    def test_every_host_pair_is_reachable(self, fabric: FabricDocument) -> None:
        built = build(fabric)
        assert built.unreachable() == []
        hosts = [built.fabric.endport(e.node, e.port) for e in built.hosts.endports if e.kind == "host"]
        lengths = Counter(len(built.fabric.route(src, dst)) for src in hosts[::7] for dst in hosts if src != dst)
        assert set(lengths) == {2, 4}  # the same leaf; leaf, spine, leaf

    def test_ambiguous_descriptions_name_three_candidates_and_count_the_rest(self, fabric: FabricDocument) -> None:
        hosts = build(fabric).hosts
        with pytest.raises(BadInputError) as error:
            hosts.find("MT4129 ConnectX7   Mellanox Technologies")
        assert str(error.value).count("guid:0x") == str(error.value).count("(lid ") == 3
        assert "66 more" in str(error.value)

    def test_the_document_is_the_same_at_each_import(self, shared: Path, fabric: FabricDocument) -> None:
        again = import_fabric(shared / NDR).fabric
        assert fabric_text(again) == fabric_text(fabric)
