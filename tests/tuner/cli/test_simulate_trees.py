# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc simulate --trees` and `--beside`."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.cli.conftest import Command

SHORT = ("simulate", "scenario-1", "--time-scale", "0.02")


def embedded(file: Path) -> Any:
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', file.read_text(), flags=re.DOTALL)
    assert found is not None
    return json.loads(found[1])


def test_two_runs_stand_side_by_side(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "trees.html"
    beside = ["--beside", "profile=gran-2010", "--beside", "model.switch.read_ports=1"]
    finished = command(*SHORT, "--trees", file, *beside, "--output", "json")
    assert (finished.code, finished.err) == (0, "")
    assert json.loads(finished.out)["profile"] == "off"  # what is printed is the first run
    data = embedded(file)
    names = [run["name"] for run in data["runs"]]
    assert names == ["profile off", "profile gran-2010, model.switch.read_ports=1"]
    assert data["title"] == "scenario-1 on two-switch"
    off, cured = (run["texts"][-1] for run in data["runs"])
    assert "The root of the deepest congestion tree is S2/2 → H5" in off
    assert off != cured
    assert data["runs"][1]["total_gbps"][-1] > data["runs"][0]["total_gbps"][-1]


def test_one_run_alone(command: Command, tmp_path: Path) -> None:
    file = tmp_path / "trees.HTML"
    assert command(*SHORT, "--trees", file, "--set", "model.switch.read_ports=2").code == 0
    assert [run["name"] for run in embedded(file)["runs"]] == ["profile off, model.switch.read_ports=2"]


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["--beside", "model.switch.read_ports=1"], "--beside model.switch.read_ports=1 is a run for the page of --trees FILE"),
        (["--trees", "t.svg"], "--trees t.svg: the file's name ends in .html"),
        (["--trees", "t.html", "--backend", "emulated"], "which backend 'simulated' records; 'emulated' does not"),
        (["--trees", "t.html", "--beside", "read_ports"], "--beside read_ports is not KEY=VALUE"),
        (["--trees", "t.html", "--beside", "color=red"], "--beside color: unknown setting; it is profile=NAME"),
        (["--trees", "t.html", "--beside", "profile=gran"], "unknown profile 'gran'"),
        (["--trees", "t.html", "--beside", "model.switch.read_prts=1"], "model.switch.read_prts"),
        (["--trees", "t.html", "--beside", "model.switch.read_ports=0"], "model.switch.read_ports is 0"),
        (["--trees", "no/such/t.html"], "cannot write no/such/t.html"),
    ],
)
def test_bad_input_is_one_sentence_and_2(command: Command, arguments: list[str], sentence: str) -> None:
    finished = command(*SHORT, *arguments)
    assert finished.code == 2
    assert finished.err.startswith("ibcc: ")
    assert finished.err.count("\n") == 1
    assert sentence in finished.err
