# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc tune` on the real simulator, a shortened scenario 1."""

import contextlib
import io
import json
import shlex
import signal
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.cli.conftest import Finished
from tuner.campaign.first_trials.suggested import FINE, FOR_VARIANTS, HALF_ROOM, SUGGESTION
from tuner.cli.main import run
from tuner.documents import catalogue
from tuner.documents.profile import load_profile
from tuner.goals.recommendation import VICTIM_TOLERANCE

pytestmark = pytest.mark.long

# A tenth of the time, confirmed with one seed: every measurement takes a quarter of a second.
SHORT = ["--time-scale", "0.02", "--set", "campaign.confirmation.time_scale=0.02", "--set", "campaign.confirmation.attempts=2"]


def tune(*options: str | Path, cwd: Path) -> Finished:
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(cwd), contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = run(["tune", "scenario-1", *SHORT, *map(str, options)])
    return Finished(code, out.getvalue(), err.getvalue())


@pytest.fixture(scope="module")
def tuned(tmp_path_factory: pytest.TempPathFactory) -> tuple[Finished, Path]:
    folder = tmp_path_factory.mktemp("tuned")
    return tune("--trials", "6", "--report", "out", cwd=folder), folder / "out"


def test_a_campaign_ends_with_a_profile_and_a_report(tuned: tuple[Finished, Path]) -> None:
    done, out = tuned
    assert done.code == 0, done.err
    report: dict[str, Any] = json.loads((out / "report.json").read_text())
    files = {path.name for path in out.iterdir() if path.suffix in (".html", ".json", ".yaml")}
    assert files == {"profile.yaml", "report.html", "report.json", *(one["file"] for one in report["profiles"])}
    assert [trial["number"] for trial in report["trials"]] == list(range(6))
    first = [SUGGESTION, FINE, HALF_ROOM, FOR_VARIANTS, "gran-2010"]
    assert [trial["origin"] for trial in report["trials"]] == [*first, "sampler"]
    assert "4 contributors" in report["first_trials"]["sources"]["suggestion"]
    assert report["first_trials"]["sources"]["suggestion"] in (out / "report.html").read_text()
    assert load_profile(out / "profile.yaml").to_dict() == report["recommended"]["profile"]
    # CC off lets the victim down, the expert and the recommendation cure it, and the contributors do not pay for it.
    victim = {role: report[role]["metrics"]["victim_throughput_gbps"] for role in ("baseline", "expert", "recommended")}
    assert victim["baseline"] < 4 < 12 < victim["expert"]
    assert victim["recommended"] > (1 - VICTIM_TOLERANCE) * victim["expert"]
    total = {role: report[role]["metrics"]["contributor_total_gbps"] for role in ("baseline", "recommended")}
    assert total["recommended"] >= 0.98 * total["baseline"]
    assert report["conditions"]["backend"] == "simulated"


def test_the_table_and_the_progress_go_their_own_ways(tuned: tuple[Finished, Path]) -> None:
    done, _ = tuned
    assert "victim throughput" in done.out
    assert "recommended" in done.out
    assert "ibcc:" not in done.out
    lines = done.err.splitlines()
    assert all(line.startswith("ibcc: ") for line in lines)
    assert any("trial 6 of 6" in line and "best: trial" in line for line in lines)
    assert lines[-1] == "ibcc: the report is out/report.html"
    assert len(lines) < 12


def test_json_output_is_the_report_and_nothing_else(tuned: tuple[Finished, Path]) -> None:
    _, out = tuned
    done = tune("--trials", "6", "--report", out, "--resume", "--output", "json", cwd=out)
    assert done.code == 0, done.err
    assert json.loads(done.out) == json.loads((out / "report.json").read_text())
    assert {"recommended", "baseline", "expert", "trials"} <= json.loads(done.out).keys()


@pytest.mark.thorough
def test_ctrl_c_keeps_what_is_finished_and_tells_how_to_go_on(
    ibcc: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ["--trials", "5", "--parallel", "2", "--report", "out"]
    command = [str(word) for word in (ibcc, "tune", "scenario-1", *SHORT, *options)]
    process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stderr is not None
    begun = []
    for line in process.stderr:
        begun.append(line)
        if "Searching" in line:
            break
    process.send_signal(signal.SIGINT)
    stdout, rest = process.communicate(timeout=600)
    assert process.returncode == 130, "".join(begun) + rest
    assert stdout == ""
    told = rest.strip().splitlines()[-1]
    assert "of 5 trials are kept. Resume with: ibcc tune scenario-1" in told
    words = shlex.split(told.partition("Resume with: ")[2])
    assert words[:3] == ["ibcc", "tune", "scenario-1"]
    assert words[-1] == "--resume"
    monkeypatch.chdir(tmp_path)
    assert run(words[1:]) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    assert [trial["number"] for trial in report["trials"]] == list(range(5))


def test_no_feasible_profile_is_a_verdict_with_a_report(tmp_path: Path) -> None:
    done = tune("--trials", "2", "--report", "out", "--set", "campaign.constraints.contributor_total.at_least=1.5", cwd=tmp_path)
    assert done.code == 1
    assert "None of 2 trials keeps every constraint" in done.err
    assert (tmp_path / "out" / "report.html").exists()
    assert not (tmp_path / "out" / "profile.yaml").exists()
    assert json.loads((tmp_path / "out" / "report.json").read_text())["recommended"] is None


def test_another_model_is_another_campaign(tuned: tuple[Finished, Path]) -> None:
    _, out = tuned
    done = tune("--trials", "6", "--report", out, "--set", "model.ca.becn_carrier=ack", cwd=out)
    assert done.code == 2
    assert "differs in backend_settings, devices; only the budget may change" in done.err


@pytest.mark.parametrize(
    ("arguments", "sentence"),
    [
        (["scenario-9"], "unknown campaign 'scenario-9'"),
        (["scenario-1", "--output", "csv"], "--output csv is not for campaigns"),
        (["scenario-1", "--set", "trials=3"], "settings begin with profile. or model. or campaign."),
        (["scenario-1", "--set", "model.switch.buffers=3"], "model.switch.buffers"),
        (["scenario-1", "--set", "profile.ca.timer=3"], "timer"),
        (["scenario-1", "--set", "campaign.backend=cloud"], "backend 'cloud'"),
        (["scenario-1", "--time-scale", "0"], "time_scale"),
        (["scenario-1", "--time-scale", "0.001"], "at a time scale of 0.001"),
        (["scenario-1", "--report", "a-file"], "the report cannot be written to 'a-file': File exists"),
        (["scenario-1", "--report", "a-file/out"], "the report cannot be written to 'a-file/out': Not a directory"),
        (["scenario-1", "--storage", "a-file/c.sqlite3"], "'a-file/c.sqlite3' cannot hold a campaign: File exists"),
        (["scenario-1", "--resume", "--storage", "none.sqlite3"], "'none.sqlite3' does not exist"),
    ],
)
def test_bad_input_is_one_sentence_and_exit_code_2(
    arguments: list[str], sentence: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a-file").touch()
    assert run(["tune", *arguments]) == 2
    captured = capsys.readouterr()
    assert captured.out == ""
    assert sentence in captured.err.splitlines()[-1]
    assert not list(tmp_path.glob("*.sqlite3")), "a campaign that cannot run leaves no file"


@pytest.mark.slow
def test_what_the_fabric_has_no_use_for_is_told_once_a_campaign(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    unused = tmp_path / "p.yaml"
    text = catalogue.find("profile", "gran-2010").read_text()
    unused.write_text(text + 'overrides:\n- {match: {node: "NOPE*"}, switch: {threshold: 3}}\n')
    scale = ("--time-scale", "0.02", "--set", "campaign.confirmation.time_scale=0.02")
    run(["tune", "scenario-1", "--trials", "3", *scale, "--set", f"campaign.base={unused}", "--output", "json"])
    captured = capsys.readouterr()
    assert json.loads(captured.out)["counts"]["trials"] == 3
    assert captured.err.count("NOPE*") == 1
