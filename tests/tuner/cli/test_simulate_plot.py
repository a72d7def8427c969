# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc simulate --plot`: the figure beside the result."""

import xml.etree.ElementTree as ElementTree
from pathlib import Path

import pytest

from tuner.cli.main import run


@pytest.mark.long
def test_the_figure_shows_every_flow(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    figure = tmp_path / "run.svg"
    assert run(["simulate", "scenario-1", "--time-scale", "0.1", "--profile", "gran-2010", "--plot", str(figure)]) == 0
    shown = {text for text in ElementTree.parse(figure).getroot().itertext() if text.strip()}
    assert {"F1 (victim)", "F2", "F3", "F4", "F5", "scenario-1, profile gran-2010"} <= shown
    assert "victim throughput" in capsys.readouterr().out


@pytest.mark.long
def test_a_figure_that_cannot_be_written_is_told(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["simulate", "scenario-1", "--time-scale", "0.1", "--plot", str(tmp_path / "no" / "run.svg")]
    assert run(arguments) == 2
    assert "cannot write" in capsys.readouterr().err
