# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc fabric routing`, and the routing that `ibcc fabric import` takes."""

import csv
import json
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command
from tests.tuner.fabric.strange_fabrics import disguised
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.fabric.topologies.base import generate


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    file = tmp_path / "tree.yaml"
    file.write_text(fabric_text(disguised(generate("k-ary-n-tree", k=3, n=3))))
    return file


def test_the_comparison_as_a_table_and_a_picture(command: Command, tree: Path, tmp_path: Path) -> None:
    finished = command("fabric", "routing", tree, "--plot", tmp_path / "loads.svg")
    assert finished.code == 0
    assert "fat tree of three levels: 9 leaves, 9 switches on level 2 and 9 at the top" in finished.out
    assert "OpenSM: -R ftree,updn" in finished.out
    assert "ibcc takes dmodk" in finished.out
    assert "108 of 108" in finished.out
    svg = (tmp_path / "loads.svg").read_text()
    assert "dmodk: 100%" in svg
    assert "by routing: dmodk 100%" in svg


def test_the_comparison_as_json_and_csv(command: Command, tree: Path, tmp_path: Path) -> None:
    document = json.loads(command("fabric", "routing", tree, "--output", "json").out)
    assert document["chosen"]["routing"] == "dmodk"
    rows = list(
        csv.DictReader(command("fabric", "routing", tree, "--output", "csv", "--plot", tmp_path / "loads.png").out.splitlines())
    )
    assert [row["routing"] for row in rows] == [engine["routing"] for engine in document["engines"]]
    assert (rows[0]["uniform_share"], rows[0]["busiest_pairs"]) == ("1.0", "24")
    assert rows[-1]["refused"].startswith("the fabric is not a torus")
    assert (tmp_path / "loads.png").read_bytes().startswith(b"\x89PNG")


def test_files_for_opensm(command: Command, tree: Path, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "files"
    finished = command("fabric", "routing", tree, "--for-opensm", folder, "--no-trial")
    assert finished.code == 0
    assert "nobody has tried this line on the fabric (--no-trial): opensm" in finished.err
    assert f"opensm -R ftree,updn -a {folder}/root-guids -u {folder}/cn-guids" in finished.err
    assert {file.name: len(file.read_text().splitlines()) for file in folder.iterdir()} == {
        "root-guids": 9,
        "cn-guids": 27,
        "opensm.conf": 3,
    }


@pytest.mark.usefixtures("infiniband_programs")
def test_files_for_opensm_are_tried(command: Command, tree: Path, tmp_path: Path) -> None:
    finished = command("fabric", "routing", tree, "--for-opensm", tmp_path / "files", "--output", "json")
    line = json.loads(finished.out)["line"]
    assert (line["trial"]["engine"], line["trial"]["share"], line["untried"]) == ("ftree", 1.0, None)
    assert sorted(line["files"]) == ["cn-guids", "opensm.conf", "root-guids"]
    assert f"tried on the emulated twin: opensm -R ftree,updn -a {tmp_path}/files/root-guids" in finished.err
    assert "OpenSM came up with engine ftree on the emulated twin" in finished.err


def test_a_low_share_is_a_warning_with_ways_out(command: Command, tree: Path) -> None:
    """The document's minhop carries 48 % of what dmodk does."""
    shown = command("fabric", "routing", tree).out
    assert "No routing could carry more than 100%" in shown
    assert "in nine random orders of destinations" in shown
    assert "Warning: by routing minhop" in shown.replace("\n", " ")
    document = json.loads(command("fabric", "routing", tree, "--output", "json").out)
    assert document["capacity"]["of_best"] < 0.5
    assert document["capacity"]["warning"].startswith("by routing minhop")
    assert len(document["capacity"]["ways_out"]) == 3


def test_a_folder_that_cannot_be_made_is_one_sentence(command: Command, tree: Path) -> None:
    finished = command("fabric", "routing", tree, "--for-opensm", tree)
    assert finished.code == 2
    assert f"folder '{tree}' cannot be made" in finished.err


@pytest.mark.parametrize(
    ("fabric", "plot", "sentence"),
    [
        ("two-switch", "loads.pdf", "--plot loads.pdf: the file's name ends in .svg or .png"),
        ("no-such", "loads.svg", "no-such"),
    ],
)
def test_bad_input_is_one_sentence(command: Command, fabric: str, plot: str, sentence: str) -> None:
    finished = command("fabric", "routing", fabric, "--plot", plot)
    assert finished.code == 2
    assert sentence in finished.err
    assert finished.err.count("\n") == 1


def test_a_single_switch_has_no_links_to_draw(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "star.yaml"
    file.write_text(fabric_text(generate("leaf-spine", leaves=1, spines=1, hosts_per_leaf=2).model_copy(update={"links": ()})))
    finished = command("fabric", "routing", file, "--plot", tmp_path / "x.svg")
    assert (finished.code, (tmp_path / "x.svg").exists()) == (2, False)
    assert "has no links between switches" in finished.err


def test_import_takes_what_suits_the_shape_and_says_why(command: Command, root: Path, tmp_path: Path) -> None:
    out = tmp_path / "torus.yaml"
    finished = command("fabric", "import", root / "tests/data/opensm/torus/ibnetdiscover.txt", "-o", out)
    assert finished.code == 0
    assert "ibcc: shape: torus of 4 x 5: 20 switches" in finished.err
    assert "ibcc: OpenSM: -R torus-2QoS,nue" in finished.err
    assert "ibcc: routing dor: no credit loop, 100 %" in finished.err
    assert load_fabric(out).routing == "dor"
    assert "# routing dor: no credit loop" in out.read_text()
    shown = command("fabric", "show", out).out
    assert "torus of 4 x 5: 20 switches; OpenSM: -R torus-2QoS,nue" in shown
    assert "Warning" not in shown


def test_import_takes_the_routing_that_is_asked_for(command: Command, root: Path, tmp_path: Path) -> None:
    text = root / "tests/data/opensm/fat-tree/ibnetdiscover.txt"
    assert "\nrouting: updown\n" in command("fabric", "import", text, "--routing", "updn").out
    refused = command("fabric", "import", text, "--routing", "dor", "-o", tmp_path / "x.yaml")
    assert (refused.code, (tmp_path / "x.yaml").exists()) == (2, False)
    assert "is none: fat tree" in refused.err
    both = command("fabric", "import", text, "--routing", "ftree", "--routes", text)
    assert (both.code, both.err) == (2, f"ibcc: --routing ftree and --routes {text} are two routings; give one of them\n")


def test_import_keeps_and_compares_tables(command: Command, root: Path) -> None:
    folder = root / "tests/data/opensm/fat-tree"
    finished = command("fabric", "import", folder / "ibnetdiscover.txt", "--routes", folder / "minhop.lfts.dump")
    assert "\nrouting: tables\n" in finished.out
    assert "routing tables with the tables that the document holds; ibcc's dmodk:" in finished.err


def test_the_superpod(command: Command, shared: Path, tmp_path: Path) -> None:
    """A fabric of strangers: 12 of 31 leaves lack links, and OpenSM's rule for roots takes leaves."""
    out = tmp_path / "superpod.yaml"
    finished = command("fabric", "import", shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover", "-o", out)
    assert "fat tree of two levels (leaf-spine): 31 leaves and 9 at the top" in finished.err
    assert "12 of 31 switches on level 1 have 14 to 17 links up, most have 18" in finished.err
    assert load_fabric(out).routing == "updown"
    rows = csv.DictReader(command("fabric", "routing", out, "--output", "csv").out.splitlines())
    used = {row["routing"]: row["used"] for row in rows}
    assert (used["updown"], used["minhop"]) == ("850", "1064")  # as OpenSM's updn and minhop


def test_each_subnet_has_advice_of_its_own(command: Command, shared: Path, tmp_path: Path) -> None:
    planes = tmp_path / "planes.yaml"
    assert command("fabric", "import", shared / "cases/c06-planes.net", "-o", planes).code == 0
    first, second = (
        json.loads(command("fabric", "routing", planes, "--subnet", number, "--output", "json").out) for number in (1, 2)
    )
    assert first["shape"]["text"] == second["shape"]["text"]
    busiest = [one["engines"][0]["loads"]["busiest"] for one in (first, second)]
    assert busiest[0] is None or busiest[0]["guid"] != busiest[1]["guid"]
    refused = command("fabric", "routing", planes, "--subnet", 9)
    assert (refused.code, "subnet 9 is not in fabric" in refused.err) == (2, True)
