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


@pytest.mark.slow
@pytest.mark.usefixtures("infiniband_programs", "library")
def test_through_opensm_a_campaign_finds_what_it_finds_without(command: Command, tmp_path: Path) -> None:
    simulated, emulated = (figures(tuned(command, tmp_path, name)) for name in ("simulated", "emulated"))
    assert emulated == simulated
    assert len(simulated["trials"]) == 4
    assert simulated["recommended"]["victim_throughput_gbps"] > 3 * simulated["baseline"]["victim_throughput_gbps"]


QUANTUM = """\
ibcc_campaign: 1
name: quantum
workloads: [scenario-1]
fabric: quantum.yaml
base: hpcc-dcqcn
expert: hpcc-dcqcn
time_scale: 0.05
space:
  nvidia.switch.thresholds.0.profile1_min: {low: 4, high: 20, log: true}
  nvidia.switch.thresholds.0.profile1_max: {low: 8, high: 60, log: true}
  nvidia.adapter.rp.rpg_min_rate: {low: 100, high: 2000, log: true}
budget: {trials: 4}
parallel: 1
objectives: [victim_throughput, contributor_total]
constraints: {contributor_total: {at_least: 0.1}}
confirmation: {seeds: [101], front: 1, time_scale: 0.05}
hypervolume_reference: {victim_throughput: 0, contributor_total: 0}
"""


@pytest.mark.usefixtures("infiniband_programs", "library")
def test_nvidias_attributes_are_searched_through_opensm_as_without(command: Command, tmp_path: Path) -> None:
    fabric = catalogue.find("fabric", "two-switch").read_text() + "congestion_control: nvidia-dcqcn\n"
    (tmp_path / "quantum.yaml").write_text(fabric)
    campaign, found = tmp_path / "campaign.yaml", {}
    campaign.write_text(QUANTUM)
    for name in ("simulated", "emulated"):
        result = tmp_path / f"{name}.json"
        words = ("--storage", tmp_path / f"{name}.sqlite3", "--set", f"campaign.backend={name}", "--output", "json")
        finished = command("tune", campaign, *words, "-o", result)
        assert finished.code == 0, finished.err
        found[name] = figures(json.loads(result.read_text()))
    assert found["emulated"] == found["simulated"]
    assert {trial[0]["nvidia.adapter.rp.rpg_min_rate"] for trial in found["emulated"]["trials"]} != {1}
    recommended, baseline = (found["emulated"][one]["victim_throughput_gbps"] for one in ("recommended", "baseline"))
    assert recommended > 2 * baseline


@pytest.mark.usefixtures("infiniband_programs", "library")
def test_a_single_measurement_too(command: Command) -> None:
    simulated, emulated = (
        command("simulate", "scenario-1", "--profile", "gran-2010", "--time-scale", 0.05, "--backend", name, "--output", "csv")
        for name in ("simulated", "emulated")
    )
    assert (simulated.code, emulated.code) == (0, 0)
    assert emulated.out == simulated.out


@pytest.mark.usefixtures("infiniband_programs", "library")
@pytest.mark.parametrize(("switches", "adapters"), [("a10", "nvidia-dcqcn"), ("nvidia-dcqcn", "a10"), ("a10", "both")])
def test_a_mixed_fabric_takes_the_suggested_profile_through_opensm(
    command: Command, tmp_path: Path, switches: str, adapters: str
) -> None:
    fabric, profile = tmp_path / "mixed.yaml", tmp_path / "suggested.yaml"
    rows = f"congestion_control: [{{kind: switch, dialect: {switches}}}, {{kind: host, dialect: {adapters}}}]\n"
    fabric.write_text(catalogue.find("fabric", "two-switch").read_text() + rows)
    assert command("profile", "suggest", "--fabric", fabric, "--workload", "scenario-1", "-o", profile).code == 0
    words = ("scenario-1", "--fabric", fabric, "--profile", profile, "--time-scale", 0.05, "--output", "csv")
    simulated, emulated = (command("simulate", *words, "--backend", name) for name in ("simulated", "emulated"))
    assert (simulated.code, emulated.code) == (0, 0), emulated.err
    assert emulated.out == simulated.out


@pytest.mark.slow
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
    few = LocalCluster(tmp_path, hosts=("H1", "H2")).inventory
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
    shut = LocalCluster(tmp_path, hosts=everybody, changes={"maintenance": [window]}).inventory
    finished = command(
        *("tune", "scenario-1", "--trials", 4, "--storage", tmp_path / "c.sqlite3"),
        *("--set", "campaign.backend=cluster", "--set", "campaign.parallel=1", "--set", f"backend.inventory={shut}"),
    )
    assert finished.code == 3, finished.err
    assert f"outside its maintenance windows; the next one begins at {begin:%Y-%m-%d %H:%M} UTC. 0 of 4 trials" in finished.err
    assert "resume then with: ibcc tune scenario-1" in finished.err


@pytest.mark.parametrize("backend", ["emulated", "cluster"])
def test_a_study_over_the_model_is_refused_before_a_fabric_is_touched(command: Command, tmp_path: Path, backend: str) -> None:
    document = catalogue.find("campaign", "scenario-1").read_text()
    study, storage = tmp_path / "study.yaml", tmp_path / "study.sqlite3"
    study.write_text(document.replace("space:\n", "space:\n  model.switch.hysteresis_bytes: {low: 2112, high: 33792}\n"))
    finished = command("tune", study, "--set", f"campaign.backend={backend}", "--storage", storage)
    assert finished.code == 2
    assert f"backend '{backend}' measures on devices that have theirs; only backend simulated" in finished.err
    assert "study.yaml:" in finished.err, "the line of the document"
    assert not storage.exists()
