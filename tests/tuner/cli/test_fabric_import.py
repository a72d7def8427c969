# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from pathlib import Path

from tests.tuner.cli.conftest import Command
from tuner.documents.fabric import load_fabric

CORPUS = Path(__file__).parents[1] / "fabric/importers/corpus"


def test_import_takes_a_net_file_and_the_routes_of_a_subnet_manager(command: Command, tmp_path: Path) -> None:
    document = tmp_path / "x.yaml"
    routes = CORPUS / "lft_dump/two-leaves.opensm-lfts.dump"
    finished = command("fabric", "import", CORPUS / "ibsim/two-leaves.net", "--routes", routes, "-o", document)
    assert (finished.code, finished.out) == (0, "")
    assert "4 LIDs are those of switches" in finished.err
    assert "(ibsim) with the routes of two-leaves.opensm-lfts.dump: 4 switches, 4 hosts" in document.read_text()
    assert load_fabric(document).routing == "tables"
    shown = command("fabric", "show", document).out
    assert "routing tables" in shown
    assert "Warning" not in shown


def test_routes_that_do_not_fit_end_with_bad_input(command: Command) -> None:
    finished = command(
        "fabric", "import", CORPUS / "ibnetdiscover/every-kind.txt", "--routes", CORPUS / "lft_dump/two-leaves.dump_fts.txt"
    )
    assert (finished.code, finished.out) == (2, "")
    assert "two-leaves.dump_fts.txt:1: switch 0x0000000000200001 is not in the fabric; both must be of one subnet" in finished.err


def test_what_is_odd_is_said_and_refused_if_strict(command: Command, shared: Path, tmp_path: Path) -> None:
    site = shared / "cases/c02-timed-out.txt"
    kept = command("fabric", "import", site, "-o", tmp_path / "site.yaml")
    assert kept.code == 0
    assert "ibcc: 1 query of the discovery failed (line 1)\n" in kept.err
    assert "ibcc: the fabric may be incomplete: 1 query of the discovery failed (line 1)\n" in kept.err
    assert load_fabric(tmp_path / "site.yaml").incomplete == "1 query of the discovery failed (line 1)"
    assert "Warning: the fabric may be incomplete: 1 query" in command("fabric", "show", tmp_path / "site.yaml").out
    refused = command("fabric", "import", site, "--strict")
    assert (refused.code, refused.out) == (2, "")
    assert f"{site}:1: says that a query failed" in refused.err


def test_one_of_several_subnets_is_taken_and_nodes_are_named(command: Command, shared: Path, tmp_path: Path) -> None:
    planes = shared / "cases/c06-planes.net"
    whole = command("fabric", "import", planes, "-o", tmp_path / "planes.yaml")
    assert "4 subnets, which no link joins, each with 3 switches and 8 adapters; --subnet takes one of them" in whole.err
    (tmp_path / "names").write_text('0x200003 "plane 1 leaf 0"\n')
    one = command(
        "fabric", "import", tmp_path / "planes.yaml", "--subnet", "2", "--names", tmp_path / "names", "-o", tmp_path / "one.yaml"
    )
    assert (one.code, "which no link joins" in one.err) == (0, False)
    assert [switch.name for switch in load_fabric(tmp_path / "one.yaml").switches] == ["plane 1 leaf 0", "P1L1", "P1S"]
    none = command("fabric", "import", planes, "--subnet", "5")
    assert (none.code, none.err) == (2, "ibcc: subnet 5 is not in fabric 'c06-planes': it has subnets 1 to 4\n")
