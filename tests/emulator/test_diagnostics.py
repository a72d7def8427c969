# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The diagnostic programs of infiniband-diags, and Debian's ibdiagnet, run on an emulated fabric and find nothing amiss."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.emulator.clients import Clients
from tests.emulator.conftest import Bed
from tests.emulator.topology import discovered


@pytest.fixture
def managed(two_switch: Bed) -> Iterator[Clients]:
    with two_switch.clients.opensm():
        yield two_switch.clients


def lids(clients: Clients) -> dict[str, int]:
    return {node.name: node.lid for node in discovered(clients.output("ibnetdiscover")).nodes if node.lid is not None}


def test_sminfo_names_the_master(managed: Clients) -> None:
    assert re.search(r"sm guid 0x[0-9a-f]+, activity count [0-9]+ priority 0 state 3 SMINFO_MASTER", managed.output("sminfo"))


def test_iblinkinfo_shows_every_cable_from_both_sides(managed: Clients) -> None:
    lines = [line for line in managed.output("iblinkinfo").splitlines() if "LinkUp" in line]
    assert len(lines) == 2 * 8
    assert sum("10.0 Gbps" in line.split("==>")[0] for line in lines) == 2
    assert all("Active" in line for line in lines)


def test_ibqueryerrors_finds_no_errors(managed: Clients) -> None:
    assert "9 nodes checked, 0 bad nodes found" in managed.output("ibqueryerrors")


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["NodeInfo", "S1"], r"NodeType:\.+Switch\nNumPorts:\.+36\n(.*\n)*Guid:\.+0x0000000000000100\n"),
        (["NodeDesc", "H7"], r"Node Description:\.+H7\n"),
        (["PortInfo", "H7", 1], r"LinkState:\.+Active\nPhysLinkState:\.+LinkUp\n(.*\n)*NeighborMTU:\.+2048\n"),
        (["PortInfo", "S1", 4], r"LinkState:\.+Down\nPhysLinkState:\.+Polling\n"),
        (["SwitchInfo", "S1"], r"LinearFdbCap:\.+[1-9][0-9]+\n(.*\n)*LinearFdbTop:\.+9\n"),
        (["PKeyTable", "H7", 1], r" 0: 0xffff 0x0000 "),
        (["SL2VLTable", "H7", 1], r"ports: in  0, out  0: \| *0\|"),
        (["VLArbitration", "S1", 1], r"Low priority VL Arbitration Table:"),
        (["GUIDInfo", "H7"], r" 0: 0x0*9[0-9a-f]{2} "),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else "",
)
def test_smpquery_reads_what_a_node_holds(managed: Clients, words: list[object], expected: str) -> None:
    operation, name, *rest = words
    printed = managed.output("smpquery", operation, lids(managed)[str(name)], *rest)
    assert re.search(expected, printed), printed


def test_saquery_is_answered_by_opensm(managed: Clients) -> None:
    number = lids(managed)
    printed = managed.output("saquery", "--src-to-dst", f"{number['H1']}:{number['H7']}", node="H3")
    assert re.search(rf"dlid\.+{number['H7']}\n\s+slid\.+{number['H1']}\n", printed)


def test_saquery_shows_records_that_are_there_and_no_others(managed: Clients) -> None:
    """Two of nine PathRecords fit what Debian's client hands on; there is one PortInfoRecord, of the one port with an SM."""
    paths = managed.output("saquery", "PathRecord", node="H3")
    assert len(re.findall(r"^PathRecord dump:", paths, re.MULTILINE)) == 2
    assert set(re.findall(r"num_path_revers\.+(.*)", paths)) == {"0x80"}, paths
    masters = managed.output("saquery", "-s", node="H3")
    assert re.findall(r"EndPortLid\.+(\d+)", masters) == [str(lids(managed)["H1"])], masters


def test_ibping_is_refused_in_good_time(managed: Clients) -> None:
    """Nobody serves ibping: the request comes back instead of being waited for for ever."""
    done = managed.run("ibping", "-c", 1, lids(managed)["H7"], node="H1")
    assert "0 received, 100% packet loss" in done.stdout


def test_ibdiagnet_finds_nothing_amiss(managed: Clients, tmp_path: Path) -> None:
    """Debian's, of ibutils. It registers the class of LID-routed SMPs and sends directed ones."""
    for _ in range(10):
        printed = managed.output("ibdiagnet", "-o", tmp_path / "ibdiagnet", node="H1")
        if "Missing master SM" not in printed:
            break  # OpenSM answers SMInfo later than ibdiagnet waits, where other programs have the processor
    assert "9 nodes (2 Switches & 7 CA-s) discovered." in printed
    assert "No bad Guids were found" in printed
    assert "No illegal PM counters values were found" in printed
    assert "PKey:0x7fff Hosts:7 full:7 limited:0" in printed
    assert "-E-" not in printed, printed
