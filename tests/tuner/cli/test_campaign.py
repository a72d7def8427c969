# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc campaign` on campaigns of the real simulator, a fiftieth of scenario 1."""

import contextlib
import csv
import io
import json
import subprocess
import time
from pathlib import Path

import pytest

from tests.postgresql import Server
from tuner.cli.main import run
from tuner.documents.campaign import load_campaign

pytestmark = pytest.mark.long

SHORT = ["--time-scale", "0.02", "--set", "campaign.confirmation.time_scale=0.02", "--set", "campaign.confirmation.attempts=2"]
SHORT += ["--set", "campaign.recommend.robust=false"]


@pytest.fixture(scope="module")
def storage(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Storage of a finished campaign of four trials."""
    file = tmp_path_factory.mktemp("campaign") / "c.sqlite3"
    assert run(["tune", "scenario-1", *SHORT, "--trials", "4", "--storage", str(file)]) in (0, 1)
    return file


def test_a_finished_campaign_is_listed(storage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "list", str(storage), "--output", "json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)
    assert (row["name"], row["state"], row["trials"], row["owner"]) == ("scenario-1", "finished", 4, None)


def test_its_trials_are_shown_in_every_format(storage: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "show", str(storage), "--output", "json"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert [trial["number"] for trial in document["trials"]] == [0, 1, 2, 3]
    assert document["ended"] == "all 4 trials of the budget are used"
    assert document["command"].endswith("--resume")
    assert run(["campaign", "show", str(storage), "--output", "csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["origin"] for row in rows] == [trial["origin"] for trial in document["trials"]]
    assert float(rows[1]["victim_throughput"]) == document["trials"][1]["values"]["victim_throughput"]
    assert int(rows[1]["ca.ccti_timer"]) == document["trials"][1]["params"]["ca.ccti_timer"]
    assert run(["campaign", "show", str(storage)]) == 0
    assert "4 of 4 trials" in capsys.readouterr().out


def test_what_is_not_there_is_told(storage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["campaign", "show", str(tmp_path / "none.sqlite3")]) == 2
    assert "does not exist, or holds no campaign" in capsys.readouterr().err
    assert not (tmp_path / "none.sqlite3").exists()
    assert run(["campaign", "show", str(storage), "--campaign", "other"]) == 2
    assert "there is no campaign 'other'" in capsys.readouterr().err
    assert run(["campaign", "pause", str(storage)]) == 2
    assert "campaign 'scenario-1' in" in capsys.readouterr().err


@pytest.mark.slow
def test_a_clone_has_the_settings_and_starts_from_the_best(
    storage: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    new = tmp_path / "new.yaml"
    assert run(["campaign", "clone", str(storage), "--name", "second", "--starts", "2", "-o", str(new)]) == 0
    assert capsys.readouterr().out == f"start it with: ibcc tune {new}\n"
    campaign, _ = load_campaign(new)
    assert (campaign.name, campaign.time_scale, campaign.budget.trials) == ("second", 0.02, 4)
    assert campaign.start_values
    file = tmp_path / "second.sqlite3"
    assert run(["tune", str(new), "--trials", "7", "--storage", str(file)]) in (0, 1)
    capsys.readouterr()
    assert run(["campaign", "show", str(file), "--output", "json"]) == 0
    origins = [trial["origin"] for trial in json.loads(capsys.readouterr().out)["trials"]]
    assert set(campaign.start_values) <= set(origins)


def started(ibcc: Path, storage: str, cwd: Path) -> subprocess.Popen[str]:
    """A campaign of its own process that has finished a trial, and would run for long."""
    words = [
        str(ibcc),
        "tune",
        "scenario-1",
        *SHORT,
        "--trials",
        "100000",
        "--storage",
        storage,
        "--set",
        "campaign.sampler=random",
    ]
    process = subprocess.Popen(words, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 600
    while time.monotonic() < deadline and process.poll() is None:
        told = io.StringIO()
        with contextlib.redirect_stdout(told), contextlib.redirect_stderr(io.StringIO()):
            code = run(["campaign", "list", storage, "--output", "json"])
        if code == 0 and any(row["trials"] for row in json.loads(told.getvalue())):
            return process
        time.sleep(0.2)
    process.kill()
    pytest.fail(f"no trial was finished: {process.communicate()[1]}")


@pytest.mark.slow
def test_a_running_campaign_is_paused_and_goes_on(ibcc: Path, tmp_path: Path, postgresql: Server) -> None:
    storage = postgresql.address(tmp_path.name)
    process = started(ibcc, storage, tmp_path)
    paused = subprocess.run([str(ibcc), "campaign", "pause", storage], capture_output=True, text=True, check=False)
    assert paused.returncode == 0, paused.stderr
    _, said = process.communicate(timeout=600)
    assert process.returncode == 130
    assert "paused by " in said
    assert "resume with: ibcc tune scenario-1" in paused.stdout
    assert "campaign 'scenario-1' is paused" in paused.stdout


def test_a_running_campaign_is_finished_with_a_recommendation(
    ibcc: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    process = started(ibcc, str(tmp_path / "c.sqlite3"), tmp_path)
    assert run(["campaign", "finish", str(tmp_path / "c.sqlite3")]) == 0, capsys.readouterr().err
    _, said = process.communicate(timeout=600)
    assert process.returncode in (0, 1)
    assert "asked to finish it" in said
