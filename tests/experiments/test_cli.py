# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc experiment`."""

import json
from pathlib import Path
from xml.etree import ElementTree

import pytest
from typer.testing import CliRunner

from experiments.cli import app
from experiments.registry import EXPERIMENTS
from tests.tuner.cli.conftest import Finished
from tuner.cli.main import run
from tuner.errors import BadInputError

pytestmark = pytest.mark.long

FOLDER = Path(__file__).resolve().parents[2] / "experiments"


def ibcc_experiment(capsys: pytest.CaptureFixture[str], *arguments: str) -> Finished:
    code = run(["experiment", *arguments])
    out, err = capsys.readouterr()
    return Finished(code, out, err)


def test_list_names_every_experiment_with_its_question(capsys: pytest.CaptureFixture[str]) -> None:
    done = ibcc_experiment(capsys, "list", "--output", "json")
    assert done.code == 0
    listed = json.loads(done.out)
    folders = {path.parent.name for path in FOLDER.glob("[!_]*/__init__.py")}
    assert {experiment["name"] for experiment in listed} == folders
    assert all(experiment["question"].endswith("?") for experiment in listed)


@pytest.mark.thorough
def test_run_writes_claims_tables_and_figures(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    done = ibcc_experiment(capsys, "run", "host_interconnect", "--quick", "-o", str(tmp_path / "new" / "out"))
    assert done.code == 0, done.err
    out = tmp_path / "new" / "out"
    result = json.loads((out / "result.json").read_text())
    assert result["holds"]
    assert {(claim["holds"], claim["known_to_fail"]) for claim in result["claims"]} == {(True, False)}
    text = (out / "result.md").read_text()
    for claim in result["claims"]:
        assert claim["sentence"] in text
    for figure in ("threads", "regions", "cores"):
        assert ElementTree.parse(out / f"{figure}.svg").getroot().tag.endswith("svg")
        assert f"({figure}.svg)" in text


def test_an_unknown_name_is_bad_input_that_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    done = ibcc_experiment(capsys, "run", "fairness_type_3")
    assert done.code == 2
    assert done.out == ""
    assert done.err.startswith("ibcc: experiment 'fairness_type_3' is not known; there are calibration, carry_over, dcqcn")


def test_a_fabric_is_refused_by_an_experiment_that_has_no_use_for_it(capsys: pytest.CaptureFixture[str]) -> None:
    done = ibcc_experiment(capsys, "run", "fairness_type_2", "--fabric", "mine.txt")
    assert done.code == 2
    assert done.err == (
        "ibcc: experiment 'fairness_type_2' takes no --fabric, and 'mine.txt' was given; those that do: carry_over, "
        "host_or_fabric, nightly_checks, nvidia_tuning, robust\n"
    )


def test_a_fabric_that_is_not_there_is_bad_input(capsys: pytest.CaptureFixture[str], tmp_path: Path) -> None:
    done = ibcc_experiment(capsys, "run", "carry_over", "--quick", "--fabric", str(tmp_path / "none.txt"), "-o", str(tmp_path))
    assert done.code == 2
    assert done.err == f"ibcc: {tmp_path / 'none.txt'}: cannot be read: No such file or directory\n"


@pytest.mark.parametrize("name", EXPERIMENTS.names())
def test_every_experiment_has_a_readme_that_says_how_to_run_it(name: str) -> None:
    text = (FOLDER / name / "README.md").read_text()
    assert f"ibcc experiment run {name} -o out" in text
    for part in ("**Question.**", "**Set-up.**", "**Takes**", "## What comes out", "would make it differ"):
        assert part.lower() in text.lower(), part
    assert f"({name}/README.md)" in (FOLDER / "README.md").read_text()


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (
            ["nightly_checks", "--dask", "tcp://head:8786"],
            "takes no --dask, and 'tcp://head:8786' was given; those that do: calib",
        ),
        (["fat_tree_648", "--dask", "tcp://head:8786", "--workers", "2"], "give one of the two"),
    ],
)
def test_a_cluster_is_refused_by_who_cannot_use_one_and_beside_workers(words: list[str], sentence: str) -> None:
    refused = CliRunner().invoke(app, ["run", *words]).exception
    assert isinstance(refused, BadInputError)
    assert sentence in refused.sentence
