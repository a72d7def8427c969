# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import json
import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tests.tuner.cli.conftest import Command


def test_a_fabric_is_drawn_beside_what_show_prints(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "f.svg"
    finished = command("fabric", "show", "two-switch", "--plot", file)
    assert (finished.code, finished.err) == (0, "")
    assert finished.out == command("fabric", "show", "two-switch").out
    assert {"S1", "S2", "H7"} <= set(ElementTree.fromstring(file.read_bytes()).itertext())


@pytest.mark.long
def test_a_simulated_result_colours_it(command: Command, tmp_path: Path) -> None:
    run, svg, png = tmp_path / "run.json", tmp_path / "f.svg", tmp_path / "f.PNG"
    assert command("simulate", "scenario-1", "--time-scale", "0.02", "--output", "json", "-o", run).code == 0
    shown = command("fabric", "show", "two-switch", "--plot", svg, "--result", run, "--output", "json")
    assert shown.code == 0
    assert json.loads(shown.out)["name"] == "two-switch"
    text = svg.read_text()
    assert "root of a" in text
    assert "S1/19 → S2" in text
    assert command("fabric", "show", "two-switch", "--plot", png, "--result", run, "--by", "queue").code == 0
    assert png.read_bytes().startswith(b"\x89PNG")


def test_a_result_of_another_fabric_is_one_sentence(command: Command, tmp_path: Path) -> None:
    run, other, svg = tmp_path / "run.json", tmp_path / "other.yaml", tmp_path / "f.svg"
    assert command("simulate", "scenario-1", "--time-scale", "0.02", "--output", "json", "-o", run).code == 0
    assert command("fabric", "generate", "dumbbell", "--left", "2", "--right", "2", "-o", other).code == 0
    finished = command("fabric", "show", other, "--plot", svg, "--result", run)
    assert (finished.code, finished.out) == (2, "")
    assert finished.err == f"ibcc: {run} is a result of fabric 'two-switch', not of 'dumbbell-2-2'\n"
    assert not svg.exists()


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (["--plot", "f.pdf"], "--plot f.pdf: the file's name ends in .svg or .png, which says what it is"),
        (["--result", "r.json"], "--result says what --plot FILE shows; there is no --plot"),
        (["--by", "fecn"], "--by says what --plot FILE shows; there is no --plot"),
        (
            ["--plot", "f.svg", "--by", "fecn"],
            "--by fecn chooses what is shown of --result MEASUREMENT.json; there is no --result",
        ),
        (["--plot", "f.svg", "--result", "none.json"], "cannot read none.json: No such file or directory"),
        (["--plot", "none/f.png"], "cannot write none/f.png: No such file or directory"),
        (["--plot", "none/f.svg"], "cannot write none/f.svg: No such file or directory"),
    ],
)
def test_options_that_do_not_go_together_are_one_sentence(command: Command, options: list[str], sentence: str) -> None:
    finished = command("fabric", "show", "two-switch", *options)
    assert (finished.code, finished.out, finished.err) == (2, "", f"ibcc: {sentence}\n")


def test_an_unknown_measure_lists_the_known_ones(command: Command) -> None:
    finished = command("fabric", "show", "two-switch", "--plot", "f.svg", "--by", "heat")
    assert finished.code == 2
    assert "'xmit-wait', 'fecn', 'queue', 'utilisation'" in finished.err


def test_without_switches_there_is_nothing_to_draw(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "pair.yaml"
    links = "hosts: [{name: A}, {name: B}]\nlinks: [{a: A/1, b: B/1, rate: 4xHDR}]\n"
    file.write_text(f"ibcc_fabric: 1\nname: pair\nmtu_bytes: 4096\n{links}")
    finished = command("fabric", "show", file, "--plot", tmp_path / "f.svg")
    assert (finished.code, finished.err) == (2, "ibcc: fabric 'pair' has no switches, so there is nothing to draw\n")


@pytest.mark.long
def test_the_real_fabric_is_drawn(command: Command, shared: Path, tmp_path: Path) -> None:
    document, svg = tmp_path / "ndr.yaml", tmp_path / "ndr.svg"
    source = shared / "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
    assert command("fabric", "import", source, "-o", document).code == 0
    assert command("fabric", "show", document, "--plot", svg).code == 0
    texts = set(ElementTree.fromstring(svg.read_bytes()).itertext())
    assert {"31 switches", "9 switches", "542 hosts:", "16 to 19 a leaf", "Not drawn: 40 aggregation nodes."} <= texts
    assert svg.stat().st_size < 200_000


def test_letters_that_the_font_lacks_are_no_matter(command: Command, tmp_path: Path) -> None:
    file, svg = tmp_path / "far.yaml", tmp_path / "f.svg"
    links = "switches: [{name: 交換機, ports: 2}]\nhosts: [{name: 一}]\nlinks: [{a: 一/1, b: 交換機/1, rate: 4xHDR}]\n"
    file.write_text(f"ibcc_fabric: 1\nname: far\nmtu_bytes: 4096\n{links}", encoding="utf-8")
    finished = command("fabric", "show", file, "--plot", svg)
    assert (finished.code, finished.err) == (0, "")
    assert {"交換機", "一"} <= set(ElementTree.fromstring(svg.read_bytes()).itertext())
