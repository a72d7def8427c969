# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One campaign on every backend that runs here, from the command line to the report."""

import json
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
import yaml

from tests.tuner.cli.conftest import Command
from tests.tuner.hosts.local_cluster import LocalCluster
from tests.tuner.opensm.conftest import library
from tuner.documents import catalogue

__all__ = ["library"]


def tuned(command: Command, folder: Path, name: str, *settings: str) -> dict[str, Any]:
    """What `ibcc tune` found in four trials."""
    result, words = folder / f"{name}.json", [word for setting in settings for word in ("--set", setting)]
    finished = command(
        *("tune", "scenario-1", "--time-scale", 0.05, "--trials", 4, "--parallel", 1),
        *("--storage", folder / f"{name}.sqlite3", "--output", "json", "-o", result),
        *("--set", f"campaign.backend={name}", "--set", "campaign.confirmation.time_scale=0.05"),
        *("--set", "campaign.recommend.robust=false", *words),
    )
    assert finished.code == 0, finished.err
    document: dict[str, Any] = json.loads(result.read_text())
    return document


def figures(report: dict[str, Any]) -> dict[str, Any]:
    """All that was measured, and what came of it."""
    return {
        "trials": [(trial["params"], trial["values"], trial["violations"]) for trial in report["trials"]],
        **{one: report[one]["metrics"] for one in ("baseline", "expert", "recommended")},
        "profile": report["recommended"]["profile"],
    }


@pytest.mark.usefixtures("infiniband_programs", "library")
def test_through_opensm_a_campaign_finds_what_it_finds_without(command: Command, tmp_path: Path) -> None:
    simulated, emulated = (figures(tuned(command, tmp_path, name)) for name in ("simulated", "emulated"))
    assert emulated == simulated
    assert len(simulated["trials"]) == 4
    assert simulated["recommended"]["victim_throughput_gbps"] > 3 * simulated["baseline"]["victim_throughput_gbps"]


@pytest.mark.usefixtures("infiniband_programs", "library")
def test_a_single_measurement_too(command: Command) -> None:
    simulated, emulated = (
        command("simulate", "scenario-1", "--profile", "gran-2010", "--time-scale", 0.05, "--backend", name, "--output", "csv")
        for name in ("simulated", "emulated")
    )
    assert (simulated.code, emulated.code) == (0, 0)
    assert emulated.out == simulated.out


@pytest.mark.long
def test_a_recorded_campaign_is_replayed_without_a_fabric(command: Command, tmp_path: Path) -> None:
    log = tmp_path / "log.jsonl"
    simulated = tuned(command, tmp_path, "simulated", f"backend.record={log}")
    measured = log.read_bytes()
    recorded = tuned(command, tmp_path, "recorded", f"backend.log={log}")
    assert figures(recorded) == figures(simulated)
    assert log.read_bytes() == measured


def test_a_backend_that_cannot_run_here_says_so_before_anything_is_measured(command: Command, tmp_path: Path) -> None:
    finished = command("tune", "scenario-1", "--storage", tmp_path / "c.sqlite3", "--set", "campaign.backend=cluster")
    assert finished.code == 2
    assert "backend 'cluster' lacks the setting 'backend.inventory'" in finished.err
    finished = command("tune", "scenario-1", "--storage", tmp_path / "d.sqlite3", "--set", "backend.socket=x")
    assert finished.code == 2
    assert "backend 'simulated' has no setting 'backend.socket'" in finished.err


def test_a_host_that_an_inventory_lacks_is_told_before_anything_is_measured(command: Command, tmp_path: Path) -> None:
    few = LocalCluster(tmp_path, 21000, hosts=("H1", "H2")).inventory
    sentence = "workload 'scenario-1' needs host 'H4', which is not in inventory 'local'"
    searched = ("scenario-1", "--set", "campaign.backend=cluster", "--set", "campaign.parallel=1")
    there = {"confirm_on": {"backend": "cluster", "settings": {"backend.inventory": str(few)}}}
    document = catalogue.find("campaign", "scenario-1").read_text() + yaml.safe_dump(there)
    (tmp_path / "confirmed.yaml").write_text(document)
    others = (yaml.safe_dump({"confirm_on": {"backend": "cluster", "workloads": ["scenario-1"]}}), "backend: cluster\n")
    both = [line for line in catalogue.find("campaign", "scenario-1").read_text().splitlines(True) if "backend:" not in line]
    (tmp_path / "both.yaml").write_text("".join((*both, *others)))
    for words in (
        (*searched, "--set", f"backend.inventory={few}"),
        (tmp_path / "confirmed.yaml",),
        (tmp_path / "both.yaml", "--set", "campaign.parallel=1", "--set", f"backend.inventory={few}"),
    ):
        finished = command("tune", *words, "--storage", tmp_path / "c.sqlite3")
        assert (finished.code, finished.err) == (2, f"ibcc: {sentence}\n")
        assert not (tmp_path / "c.sqlite3").exists()


def test_outside_the_maintenance_windows_a_campaign_says_when_to_go_on(command: Command, tmp_path: Path) -> None:
    begin = datetime.now(UTC) + timedelta(hours=2)
    window = {"from": f"{begin:%H:%M}", "to": f"{begin + timedelta(hours=1):%H:%M}"}
    everybody = tuple(f"H{n}" for n in range(1, 8))
    shut = LocalCluster(tmp_path, 21000, hosts=everybody, changes={"maintenance": [window]}).inventory
    finished = command(
        *("tune", "scenario-1", "--trials", 4, "--storage", tmp_path / "c.sqlite3"),
        *("--set", "campaign.backend=cluster", "--set", "campaign.parallel=1", "--set", f"backend.inventory={shut}"),
    )
    assert finished.code == 3, finished.err
    assert f"outside its maintenance windows; the next one begins at {begin:%Y-%m-%d %H:%M} UTC. 0 of 4 trials" in finished.err
    assert "resume then with: ibcc tune scenario-1" in finished.err
