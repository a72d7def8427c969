# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Challenges of small campaigns: one that holds, one that breaks, one that was interrupted, and those that cannot be."""

import json
from pathlib import Path
from typing import Any

import pytest
import yaml

from tuner.campaign.challenge import run as challenge_run
from tuner.campaign.challenge.findings import Challenge
from tuner.campaign.prepare import prepare
from tuner.campaign.stored import stored_campaign
from tuner.cli.main import run
from tuner.documents.campaign import load_campaign

CAMPAIGN: dict[str, Any] = {
    "ibcc_campaign": 1,
    "name": "small",
    "workloads": ["scenario-1"],
    "fabric": "two-switch-16",
    "roles": {"contributors": 4, "victims": 1},
    "base": "gran-2010",
    "start_from": ["gran-2010"],
    "space": {"ca.ccti_timer": {"low": 149, "high": 150}},
    "objectives": ["victim_throughput", "treatment_variation"],
    "constraints": {"contributor_total": {"at_least": 0.9}},
    "suggestion": False,
    "budget": {"trials": 1},
    "seeds": [1],
    "sampler": {"kind": "random", "seed": 1},
    "parallel": 1,
    "time_scale": 0.02,
    "confirmation": {"seeds": [101], "time_scale": 0.02, "front": 1},
    "hypervolume_reference": {"victim_throughput": 2, "treatment_variation": 0.05},
    "variants": {},
}
OWN_POINT = {"model": "own", "contributors": None, "place": 1, "background": 0.0, "slow_host": 1.0, "slow_receiver": 1.0}
BECNS_ON_ACKNOWLEDGEMENTS = {"becns-on-acknowledgements": {"model.ca.becn_carrier": "ack"}}
ACKNOWLEDGEMENTS = ("--set", "model.ca.becn_carrier=ack")
RUNS = ["--runs", "60"]


def tuned(folder: Path, *words: str, **changes: Any) -> str:
    file, storage = folder / "campaign.json", str(folder / "c.sqlite3")
    file.write_text(json.dumps(CAMPAIGN | changes))
    run(["tune", str(file), "--storage", storage, *words])
    return storage


def challenged(capsys: pytest.CaptureFixture[str], storage: str, *words: str) -> tuple[int, dict[str, Any]]:
    capsys.readouterr()
    code = run(["campaign", "challenge", storage, *RUNS, *words, "--output", "json"])
    found: dict[str, Any] = json.loads(capsys.readouterr().out)
    return code, found


def refused(capsys: pytest.CaptureFixture[str], storage: str, *words: str) -> str:
    capsys.readouterr()
    assert run(["campaign", "challenge", storage, *words]) == 2
    return capsys.readouterr().err


def test_a_profile_that_fails_as_the_expert_does_is_found_out(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """gran-2010 keeps all that the campaign asks for, which has no constraint on victims. They are lost."""
    storage = tuned(tmp_path, *ACKNOWLEDGEMENTS)
    code, found = challenged(capsys, storage)
    assert code == 1
    assert (found["holds"], found["is_worse_than_stated"]) == (False, True)
    assert found["worst"]["shares"]["victims_share"] < 0.5
    assert len(found["worst"]["seeds"]) == 3
    assert found["runs"] <= 60
    assert 0 < found["broken"] <= found["scenarios"]
    assert found["sentence"].startswith("The recommendation fails inside its region: ")
    kept = Challenge.from_json(stored_campaign(storage).facts[challenge_run.FACT])
    assert json.loads(json.dumps(kept.to_json())) == found
    again, same = challenged(capsys, storage)
    assert (again, same) == (code, found)


def test_the_worst_find_becomes_a_scenario_of_the_next_campaign(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage, file = tuned(tmp_path, *ACKNOWLEDGEMENTS), tmp_path / "next.yaml"
    _, found = challenged(capsys, storage)
    point = {name: value for name, value in found["worst"]["point"].items() if value != OWN_POINT[name]}
    assert run(["campaign", "challenge", storage, *RUNS]) == 1
    printed = capsys.readouterr().err.splitlines()
    assert found["next_step"].startswith("It is worse than what was stated: give the next campaign {place: ")
    lines = printed[printed.index("scenarios:") :]
    assert yaml.safe_load("\n".join(lines[:3])) == {"scenarios": {"points": [point]}}
    assert run(["campaign", "challenge", storage, *RUNS, "--add", str(file)]) == 1
    document = yaml.safe_load(file.read_text(encoding="utf-8"))
    assert document["name"] == "small-challenged"
    assert "variants" not in document
    assert document["scenarios"] == {"points": [point]}
    assert document["constraints"]["victims_share"] == {"at_least": 0.95}
    assert document["constraints"]["contributor_total"] == {"at_least": 0.9}
    setup = prepare(*load_campaign(file))
    assert [scenario.point.to_json() for scenario in setup.scenarios][-1] == found["worst"]["point"]
    # What was found is measured by the next campaign, whose recommendation does not serve it either.
    capsys.readouterr()
    run(["tune", str(file), "--storage", str(tmp_path / "next.sqlite3"), "--output", "json", *ACKNOWLEDGEMENTS])
    scenarios = json.loads(capsys.readouterr().out)["scenarios"]
    assert [row for row in scenarios["rows"] if not row["cells"].get(setup.scenarios[-1].name, {"served": True})["served"]]


def test_a_variant_that_is_not_served_is_not_in_the_region(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage, file = tuned(tmp_path, variants=BECNS_ON_ACKNOWLEDGEMENTS), tmp_path / "next.yaml"
    code, found = challenged(capsys, storage, "--add", str(file))
    assert (code, found["holds"], found["worst"]["point"]["model"]) == (0, True, "own")


def test_a_find_that_is_no_worse_is_not_added(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    storage, file = tuned(tmp_path), tmp_path / "next.yaml"
    capsys.readouterr()
    code = run(["campaign", "challenge", storage, *RUNS, "--add", str(file)])
    assert code == 0
    assert f"{file} is not written: the worst find is no worse than what was stated" in capsys.readouterr().err
    assert not file.exists()


def test_on_its_own_devices_it_holds(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    code, found = challenged(capsys, tuned(tmp_path))
    assert (code, found["holds"]) == (0, True)
    assert found["worst"]["shares"]["victims_share"] > 0.95
    assert found["worst"]["point"]["model"] == "own"
    assert found["fixed"] == []
    assert "Not moved" not in found["sentence"]
    other = challenged(capsys, str(tmp_path / "c.sqlite3"), "--seed", "2")[1]
    assert other["worst"]["point"] != found["worst"]["point"]


def test_a_workload_on_hosts_of_its_own_is_not_said_to_have_been_elsewhere(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """As the service keeps a campaign without scenarios: the hosts that the roles were given, and the roles no more."""
    placed = prepare(*load_campaign("scenario-1", {key: CAMPAIGN[key] for key in ("fabric", "roles")})).workloads[0]
    file = tmp_path / "placed.json"
    file.write_text(json.dumps(placed.model_dump(mode="json", exclude_none=True)))
    found = challenged(capsys, tuned(tmp_path, workloads=[str(file)], roles=None))[1]
    assert found["fixed"] == ["scenario-1"]
    assert (found["worst"]["point"]["place"], found["unplaceable"]) == (1, 0)
    assert found["sentence"].endswith(" Not moved to other hosts, as no roles are known: 'scenario-1'.")


@pytest.mark.thorough
def test_one_that_was_interrupted_goes_on_and_ends_as_it_would_have(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    storage = tuned(tmp_path)
    _, whole = challenged(capsys, storage)
    measured: list[int] = []
    begun = challenge_run._Run._begun

    def counted(self: Any, attempt: Any, scenario: Any) -> Any:
        measured.append(1)
        if len(measured) == 6:
            raise KeyboardInterrupt
        return begun(self, attempt, scenario)

    other = tmp_path / "other"
    other.mkdir()
    storage = tuned(other)
    monkeypatch.setattr(challenge_run._Run, "_begun", counted)
    assert run(["campaign", "challenge", storage, *RUNS]) == 130
    monkeypatch.setattr(challenge_run._Run, "_begun", begun)
    _, resumed = challenged(capsys, storage)
    assert resumed == whole


def test_what_cannot_be_challenged_is_said_before_anything_runs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(challenge_run._Run, "_begun", None)  # a run would fail
    nothing = tuned(tmp_path, constraints={"contributor_total": {"at_least": 1.5}})
    assert "campaign 'small' recommends no profile, so there is nothing to challenge" in refused(capsys, nothing)
    assert "does not exist, or holds no campaign" in refused(capsys, str(tmp_path / "none.sqlite3"))
    assert "--runs" in refused(capsys, nothing, "--runs", "3")
    assert "--output csv is for lists" in refused(capsys, nothing, "--output", "csv")
