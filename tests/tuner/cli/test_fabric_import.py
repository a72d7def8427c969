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
