# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Each importer of what programs print, against the conformance suite, and all of them against each other: they have printed one
fabric."""

import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.tuner.fabric.importers.conformance import Conformance, Ends, ends
from tuner.documents.fabric import FabricDocument
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.importers.ibdiagnet_tables import IbdiagnetTables
from tuner.fabric.importers.iblinkinfo import IbLinkInfo
from tuner.fabric.importers.ibnetdiscover import IbNetDiscover
from tuner.fabric.importers.ibnetdiscover_ports import IbNetDiscoverPorts
from tuner.fabric.importers.subnet_list import SubnetList

CORPUS = Path(__file__).parent / "corpus"
SWEPT = import_fabric(CORPUS / "ibnetdiscover/every-kind-swept.txt").fabric


def link(a: tuple[str, int], b: tuple[str, int]) -> Ends:
    """By GUIDs in hexadecimal."""
    return frozenset(((int(a[0], 16), a[1]), (int(b[0], 16), b[1])))


class TestIbNetDiscover(Conformance):
    importer = IbNetDiscover()
    text = (CORPUS / "ibnetdiscover/every-kind-swept.txt").read_text()
    n_switches, n_hosts, n_links = 3, 7, 14

    def rows(self) -> Sequence[tuple[int, Ends]]:
        found, guid = [], ""
        for i, line in enumerate(self.text.split("\n")):
            if line.startswith(("Switch", "Ca", "Rt")):
                guid = line.split('"')[1][2:]
            elif line.startswith("["):
                quoted = line.split('"')
                port, peer_port = int(line[1:].split("]")[0]), int(quoted[2][1:].split("]")[0])
                found.append((i, link((guid, port), (quoted[1][2:], peer_port))))
        return found


class TestIbNetDiscoverPorts(Conformance):
    importer = IbNetDiscoverPorts()
    text = (CORPUS / "ibnetdiscover_ports/every-kind.txt").read_text()
    n_switches, n_hosts, n_links = 3, 8, 14

    def rows(self) -> Sequence[tuple[int, Ends]]:
        cells = [(i, line.split()) for i, line in enumerate(self.text.split("\n"))]
        return [(i, link((one[3], int(one[2])), (one[10], int(one[9])))) for i, one in cells if len(one) > 10 and one[6] == "-"]


class TestIbLinkInfoLines(Conformance):
    importer = IbLinkInfo()
    text = (CORPUS / "iblinkinfo/every-kind-lines.txt").read_text()
    n_switches, n_hosts, n_links = 3, 8, 14

    def rows(self) -> Sequence[tuple[int, Ends]]:
        found = []
        for i, line in enumerate(self.text.split("\n")):
            if match := re.match(r'(0x\w+) ".*?" +\d+ +(\d+)\[  \] ==\(.*\)==> +(0x\w+) +\d+ +(\d+)', line):
                found.append((i, link((match[1], int(match[2])), (match[3], int(match[4])))))
        return found


class TestIbLinkInfo(Conformance):
    importer = IbLinkInfo()
    text = (CORPUS / "iblinkinfo/every-kind.txt").read_text()
    n_switches, n_hosts, n_links = 3, 8, 14

    def ends(self, fabric: FabricDocument) -> set[Ends]:
        """By LIDs, which alone tell the other end of a row."""
        n_switches = len(fabric.switches)
        return {
            frozenset((fabric.nodes[end.node].lid_of_port[end.port if end.node >= n_switches else 0], end.port) for end in both)
            for _, *both in fabric.ends()
        }

    def rows(self) -> Sequence[tuple[int, Ends]]:
        found = []
        for i, line in enumerate(self.text.split("\n")):
            if match := re.match(r" +(?:0x\w+ +)?(\d+) +(\d+)\[  \] ==\(.*\)==> +(\d+) +(\d+)", line):
                found.append((i, frozenset(((int(match[1]), int(match[2])), (int(match[3]), int(match[4]))))))
        return found


class TestIbLinkInfoAdditional(TestIbLinkInfo):
    text = (CORPUS / "iblinkinfo/every-kind-additional.txt").read_text()


class TestSubnetList(Conformance):
    importer = SubnetList()
    text = (CORPUS / "subnet_list/every-kind.lst").read_text()
    n_switches, n_hosts, n_links = 3, 7, 14

    def rows(self) -> Sequence[tuple[int, Ends]]:
        found = []
        for i, line in enumerate(self.text.split("\n")):
            if guids := re.findall(r"NodeGUID:(\w+)", line):
                ports = [int(port, 16) for port in re.findall(r"PN:(\w+)", line)]
                found.append((i, link((guids[0], ports[0]), (guids[1], ports[1]))))
        return found


class TestIbdiagnetTables(Conformance):
    importer = IbdiagnetTables()
    text = (CORPUS / "ibdiagnet_tables/every-kind.db_csv").read_text()
    n_switches, n_hosts, n_links = 3, 7, 14

    def rows(self) -> Sequence[tuple[int, Ends]]:
        lines = self.text.split("\n")
        begin, end = lines.index("START_LINKS") + 2, lines.index("END_LINKS")
        cells = [(i, lines[i].split(",")) for i in range(begin, end)]
        return [(i, link((one[0], int(one[1])), (one[2], int(one[3])))) for i, one in cells]


def facts(fabric: FabricDocument, names: bool = True) -> set[object]:
    """Links by the names, port numbers and LIDs of their ends, and by rate: what all formats have."""
    found: set[object] = set()
    for one, *both in fabric.ends():
        sides = []
        for end in both:
            node = fabric.nodes[end.node]
            lid = node.lid_of_port.get(0 if end.node < len(fabric.switches) else end.port)
            sides.append((node.name if names else "", lid, end.port))
        found.add((frozenset(sides), one.rate))
    return found


@pytest.mark.parametrize(
    ("file", "names"),
    [
        ("ibnetdiscover_ports/every-kind.txt", True),
        ("iblinkinfo/every-kind.txt", True),
        ("iblinkinfo/every-kind-lines.txt", True),
        ("iblinkinfo/every-kind-additional.txt", True),
        ("iblinkinfo/every-kind-switches.txt", False),
        ("subnet_list/every-kind.lst", True),
        ("ibdiagnet_tables/every-kind.db_csv", True),
    ],
)
def test_all_formats_tell_the_same_fabric(file: str, names: bool) -> None:
    assert facts(import_fabric(CORPUS / file).fabric, names) == facts(SWEPT, names)


def test_formats_with_node_guids_have_the_same_guids() -> None:
    for file in ("subnet_list/every-kind.lst", "ibdiagnet_tables/every-kind.db_csv"):
        fabric = import_fabric(CORPUS / file).fabric
        assert ends(fabric) == ends(SWEPT)
        assert {(host.guid, host.port_guid, host.endports) for host in fabric.hosts} == {
            (host.guid, host.port_guid, host.endports) for host in SWEPT.hosts
        }


class TestCases:
    """Texts of sites."""

    @pytest.mark.parametrize(
        ("file", "format_name", "nodes", "links"),
        [
            ("c05a-ibnetdiscover-p.txt", "ibnetdiscover -p", (1, 2), 2),
            ("c05c-opensm-subnet.lst", "opensm-subnet.lst", (1, 1), 1),
            ("c05d-db_csv.txt", "ibdiagnet2.db_csv", (1, 1), 1),
        ],
    )
    def test_are_imported(self, shared: Path, file: str, format_name: str, nodes: tuple[int, int], links: int) -> None:
        imported = import_fabric(shared / "cases" / file)
        fabric = imported.fabric
        assert imported.format == format_name
        assert ((len(fabric.switches), len(fabric.hosts)), len(fabric.links)) == (nodes, links)
        assert {one.rate for one in fabric.links} == {"4xHDR"}

    def test_a_rate_that_no_row_has_is_that_of_the_devices(self, shared: Path) -> None:
        """Quantum and ConnectX-6; older ibdiagnet writes no section PORTS."""
        imported = import_fabric(shared / "cases/c05d-db_csv.txt")
        assert [remark.sentence for remark in imported.remarks] == ["1 link has no rate at either end; one is assumed (line 11)"]
