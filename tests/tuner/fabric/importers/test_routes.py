# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Forwarding tables that a real OpenSM has computed, on the fabrics that it has computed them for (corpus/README.md)."""

from pathlib import Path

import pytest

from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.built_fabric import build
from tuner.fabric.importers.base import import_fabric, read_fabric
from tuner.fabric.importers.lft_dump import SwitchTable, read_tables
from tuner.fabric.importers.routes import with_routes

CORPUS = Path(__file__).parent / "corpus"
DUMPS = ["two-leaves.opensm-lfts.dump", "two-leaves.dump_fts.txt", "two-leaves.dump_fts-n.txt"]


def topology(name: str = "ibnetdiscover/two-leaves.txt") -> FabricDocument:
    return import_fabric(CORPUS / name).fabric


def tables(name: str = DUMPS[0], old: str = "", new: str = "") -> list[SwitchTable]:
    text = (CORPUS / "lft_dump" / name).read_text()
    assert old in text
    return read_tables(text.replace(old, new) if old else text, source="dump")


def routed(fabric: FabricDocument, routes: list[SwitchTable]) -> tuple[FabricDocument, list[str]]:
    return with_routes(fabric, routes, source="dump")


@pytest.mark.parametrize("dump", DUMPS)
def test_packets_go_where_opensm_sends_them(dump: str) -> None:
    """Followed by hand through the lines of the dump: L1 sends to H3 by S1 (port 3) and to H4 by S2 (port 4)."""
    fabric, _ = routed(topology(), tables(dump))
    built = build(fabric)
    assert built.unreachable() == []
    for host, spine in (("H3", "S1"), ("H4", "S2")):
        hops = built.fabric.route(built.endport("H1"), built.endport(host))
        assert [fabric.nodes[node].name for node, _ in hops] == ["H1", "L1", spine, "L2"]


@pytest.mark.parametrize("dump", DUMPS)
def test_every_entry_for_a_host_is_in_the_switch(dump: str) -> None:
    fabric, _ = routed(topology(), tables(dump))
    built = build(fabric)
    hosts = {endport.lid: endport for endport in built.hosts.endports}
    compared = 0
    for table in tables():
        switch = next(s for s in fabric.switches if s.guid == table.guid)
        for lid in hosts:
            assert lid is not None
            first, ports = next(iter(fabric.lfts[switch.name].items()))
            assert ports[lid - first] == table.entries[lid].port
            compared += 1
    assert compared == 16


def test_the_document_is_the_same_whoever_printed_the_tables() -> None:
    assert len({fabric_text(routed(topology(), tables(dump))[0]) for dump in DUMPS}) == 1


def test_a_net_file_gets_its_lids_from_the_tables() -> None:
    net, seen = topology("ibsim/two-leaves.net"), topology()
    assert all(lid is None for node in net.nodes for lid in node.lids)
    fabric, _ = routed(net, tables())
    assert {node.name: node.lids for node in fabric.nodes} == {node.name: node.lids for node in seen.nodes}
    assert fabric.lfts == routed(seen, tables())[0].lfts


def test_what_is_left_out_is_told() -> None:
    assert routed(topology(), tables())[1] == ["4 LIDs are those of switches, where only management goes"]
    lmc = routed(topology("ibnetdiscover/two-leaves-lmc.txt"), tables("two-leaves-lmc.opensm-lfts.dump"))
    assert lmc[1][1:] == ["4 LIDs are further paths to a port (LMC), which are not simulated"]
    assert build(lmc[0]).unreachable() == []


def test_unreachable_entries_are_kept_and_told() -> None:
    # S1 has no route to H1; L2's route to H1 goes there.
    block = tables()
    s1 = next(table for table in block if table.guid == 0x200002)
    del s1.entries[2]
    fabric, notes = routed(topology(), block)
    assert notes[1:] == ["1 routes from a switch to a host are missing in the tables or lead nowhere"]
    built = build(fabric)
    assert len(built.unreachable()) == 1
    with pytest.raises(BadInputError, match="host 'H1' cannot be reached"):
        built.require_route("H3", "H1")


def test_a_route_into_a_port_without_a_link_leads_nowhere() -> None:
    net = (CORPUS / "ibsim/two-leaves.net").read_text().replace('Switch\t4 "L1"', 'Switch\t5 "L1"')
    assert 'Switch\t5 "L1"' in net
    fabric = read_fabric(net, source="x", name="x", mtu_bytes=4096).fabric
    document, notes = routed(fabric, tables(old="0x0007 003 #", new="0x0007 005 #"))
    assert any("lead nowhere" in note for note in notes)
    assert len(build(document).unreachable()) == 1


def test_lids_of_nobody_are_told() -> None:
    text = "0x0008 004 # Channel Adapter portguid 0x0000000000100008: 'H4'\n"
    stale = "0x0009 002 # Channel Adapter portguid 0x0000000000999999: 'gone'\n"
    assert "1 LIDs belong to no port of the fabric, the first is 9" in routed(topology(), tables(old=text, new=text + stale))[1]


@pytest.mark.parametrize(
    ("dump", "old", "new", "sentence"),
    [
        (DUMPS[0], "guid 0x0000000000200003 (", "guid 0x0000000000200009 (", "switch 0x0000000000200009 is not in the fabric"),
        ("one-switch.ibroute.txt", "", "", "has no table of 3 of the 4 switches, the first is 'L2'; ibroute prints one switch"),
        (DUMPS[0], "0x0007 003", "0x0007 007", "LID 7 leaves by port 7 of 'L1', which does not exist; it has ports 1 to 4"),
        (DUMPS[0], "0x0007", "0x0017", "LID 23 is that of 'H3' here, but the fabric has LID 7; both must be of one sweep"),
        (DUMPS[2], "0x0001 000", "0x0009 000", "LID 9 is that of 'L1' here, but the fabric has LID 1; both must be of one sweep"),
        (DUMPS[0], "0000100005: 'H3'", "0000100003: 'H3'", "LID 7 is that of 'H2' here, but that of 'H3' in the fabric"),
    ],
)
def test_tables_of_another_subnet_or_sweep_are_refused(dump: str, old: str, new: str, sentence: str) -> None:
    with pytest.raises(BadInputError) as error:
        routed(topology(), tables(dump, old, new))
    assert error.value.sentence.startswith(sentence)
    assert error.value.source == "dump"


def test_without_guids_and_lids_nothing_is_known() -> None:
    with pytest.raises(BadInputError, match="has no port GUIDs and the fabric no LIDs, so no destination is known"):
        routed(topology("ibsim/two-leaves.net"), tables(DUMPS[2]))


@pytest.mark.long
def test_the_routes_of_a_real_fabric_come_through_a_dump(shared: Path) -> None:
    """The simulator's own routes of 582 adapters, printed as OpenSM prints its tables, and read again."""
    fabric = import_fabric(shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover").fabric
    built = build(fabric)
    hosts = [endport for endport in built.hosts.endports if endport.kind == "host"]
    pairs = [(src, dst) for src in hosts[::17] for dst in hosts if src != dst]
    entries: dict[int, dict[int, int]] = {i: {} for i in range(len(fabric.switches))}
    before = []
    for src, dst in pairs:
        hops = built.fabric.route(*(built.fabric.endport(end.node, end.port) for end in (src, dst)))
        before.append(hops)
        for node, port in hops[1:]:
            assert dst.lid is not None
            entries[node][dst.lid] = port
    text = ""
    for node, switch in enumerate(fabric.switches):
        text += f"Unicast lids [0-700] of switch Lid {switch.lid} guid 0x{switch.guid:016x} ('{switch.name}'):\n"
        text += "".join(f"0x{lid:04x} {port:03d} # unknown node and type\n" for lid, port in sorted(entries[node].items()))
        text += "700 lids dumped\n"
    document, notes = with_routes(fabric, read_tables(text, source="dump"), source="dump")
    assert any("are missing in the tables" in note for note in notes)  # of the sources that were not asked
    rebuilt = build(document)
    after = [rebuilt.fabric.route(*(rebuilt.fabric.endport(e.node, e.port) for e in pair)) for pair in pairs]
    assert after == before
