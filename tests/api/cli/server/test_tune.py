# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`ibcc --server URL tune` against a service that runs: real searches on the simulator, of a fiftieth of the time."""

import json
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.api.campaign_service import SHORT
from tests.api.service import Service
from tuner.cli.main import run
from tuner.document_base.yaml_core import read_document
from tuner.documents import catalogue

pytestmark = pytest.mark.long

Ibcc = Callable[..., str]


@pytest.fixture
def document(tmp_path: Path) -> Path:
    """A short campaign in a file."""
    spec = read_document(catalogue.find("campaign", "scenario-1")).value
    assert isinstance(spec, dict)
    short = {key: value for key, value in SHORT.items() if "." not in key} | {"budget": {"trials": 4}, "name": "short"}
    file = tmp_path / "short.json"
    file.write_text(json.dumps(spec | short, indent=1))
    return file


def test_it_runs_there_and_the_report_comes_here(ibcc_server: Ibcc, document: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = document.parent / "out"
    told = ibcc_server("tune", str(document), "--trials", "3", "--seed", "7", "--report", str(out))
    assert "victim throughput" in told
    assert sorted(path.name for path in out.iterdir()) == ["profile.yaml", "report.html", "report.json"]
    report = json.loads((out / "report.json").read_text())
    assert (report["counts"]["trials"], report["conditions"]["confirmation"]["seeds"]) == (3, [1007])
    campaign = json.loads(ibcc_server("campaign", "list", "--output", "json"))[0]
    assert (campaign["name"], campaign["state"], campaign["recommended"] is not None) == ("short", "finished", True)
    again = document.parent / "again"
    printed = ibcc_server("campaign", "watch", campaign["id"], "--report", str(again), "--output", "json")
    assert json.loads(printed) == json.loads((again / "report.json").read_text()) == report


@pytest.mark.slow
def test_a_campaign_that_finds_nothing_ends_with_1_and_its_report(ibcc_server: Ibcc, document: Path) -> None:
    out = document.parent / "out"
    out.mkdir()
    (out / "profile.yaml").write_text("of an earlier one")
    impossible = "campaign.constraints.contributor_total.at_least=5"
    told = ibcc_server("tune", str(document), "--trials", "2", "--set", impossible, "--report", str(out), code=1)
    assert "Searching" in told
    assert sorted(path.name for path in out.iterdir()) == ["report.html", "report.json"]


def test_a_dry_run_shows_hosts_and_cost_and_makes_nothing(ibcc_server: Ibcc, document: Path) -> None:
    told = ibcc_server("tune", str(document), "--dry-run")
    assert "F1 shares S1/19 → S2/19 with F2, F3." in told
    assert "of processor time on the service's machine" in told
    plan = json.loads(ibcc_server("tune", str(document), "--dry-run", "--output", "json"))
    assert plan["workloads"][0]["counts"]["contributors"] == 4
    assert "F1 shares S1/19 → S2/19" in ibcc_server("tune", "scenario-1", "--dry-run"), "a test bed, which is no template"
    assert json.loads(ibcc_server("campaign", "list", "--output", "json")) == []


def test_what_cannot_be_is_refused_with_a_sentence(ibcc_server: Ibcc, document: Path) -> None:
    assert "did you mean 'scenario-1'" in ibcc_server("tune", "scenario1", code=2)
    assert "'nowhere.yaml' does not exist" in ibcc_server("tune", "nowhere.yaml", code=2)
    assert "profile put FILE" in ibcc_server("tune", str(document), "--set", "profile.ca.ccti_timer=3", code=2)
    assert "There is no fabric 'none'" in ibcc_server("tune", str(document), "--fabric", "none", code=2)
    assert f"{document}:" in ibcc_server("tune", str(document), "--set", "campaign.time_scale=-1", code=2)
    file = document.parent / "path.json"
    file.write_text(document.read_text().replace('"scenario-1"', '"./mine.yaml"', 2))
    assert "must be the name of one that the service has, not a path" in ibcc_server("tune", str(file), code=2)


@pytest.mark.slow
def test_no_wait_prints_what_to_watch(ibcc_server: Ibcc, document: Path) -> None:
    campaign = ibcc_server("tune", str(document), "--no-wait").strip()
    assert json.loads(ibcc_server("campaign", "watch", campaign, "--output", "json"))["counts"]["trials"] == 4
    draft = json.loads(ibcc_server("campaign", "create", "d", "--fabric", "two-switch", "--template", "scenario-1"))["id"]
    assert f"campaign start {draft}" in ibcc_server("campaign", "watch", draft, code=2)


@pytest.mark.parametrize("stop", [False, True], ids=["goes-on", "stop-on-interrupt"])
def test_ctrl_c(served_service: tuple[Service, str], ibcc_server: Ibcc, document: Path, stop: bool) -> None:
    _, url = served_service
    words = ["--server", url, "tune", str(document), "--trials", "200", *(["--stop-on-interrupt"] if stop else [])]
    command = [sys.executable, "-m", "tuner.cli.main", *words]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if "Searching" in line:
                process.send_signal(signal.SIGINT)
                break
        told = process.stderr.read()
    assert process.returncode == 130, told
    campaign = json.loads(ibcc_server("campaign", "list", "--output", "json"))[0]
    if stop:
        assert f"campaign resume {campaign['id']}" in told
        assert campaign["state"] in ("pausing", "stopped")
    else:
        assert f"campaign watch {campaign['id']}" in told
        assert campaign["state"] == "running"
        ibcc_server("campaign", "stop", campaign["id"])
        assert "resume with" in ibcc_server("campaign", "watch", campaign["id"], code=130)


def test_a_failure_there_has_its_exit_code_here(
    served_service: tuple[Service, str], ibcc_server: Ibcc, document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from api.jobs.kinds import campaign
    from tuner.errors import UnreachableError

    def unreachable(*_: object, **__: object) -> None:
        raise UnreachableError("the plugin does not answer")

    monkeypatch.setattr(campaign, "create_backend", unreachable)
    assert "failed: the plugin does not answer" in ibcc_server("tune", str(document), code=3)


def test_a_service_that_is_not_there() -> None:
    assert run(["--server", "http://127.0.0.1:1", "tune", "scenario-1"]) == 3
