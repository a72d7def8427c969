# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns on test beds: each runs from its references to its report, in few trials of a fraction of the time."""

import json
from pathlib import Path

import pytest

from tuner.campaign.shipped import goals, shipped_campaigns
from tuner.campaign.stored import stored_campaign
from tuner.cli.main import run
from tuner.documents import catalogue
from tuner.documents.fabric import load_fabric
from tuner.documents.fabric_text import fabric_text
from tuner.documents.profile import load_profile
from tuner.fabric.topologies.base import generate

pytestmark = pytest.mark.long

TIME_SCALES = {"fairness": 0.02, "forests-648": 0.01, "incast-32": 0.4, "incast-32-dcqcn": 0.4, "tail-latency": 0.2}
"""Shorter ones have no round trips to tell of, or end before contributors begin. scenario-1 runs in tests/tuner/cli."""
LOOSE = {"contributor_total": {"at_least": 0.1}}
"""What so short runs keep by luck is not asked of them."""


@pytest.mark.parametrize(
    "name",
    ["fairness", "incast-32", "incast-32-dcqcn", "tail-latency", pytest.param("forests-648", marks=pytest.mark.slow)],
)
def test_it_runs(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tried(name, tmp_path, capsys)


@pytest.mark.slow
def test_the_large_one_runs_with_one_of_its_workloads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tried("forests-648", tmp_path, capsys, workloads=["forest-moving"])


def tried(name: str, folder: Path, capsys: pytest.CaptureFixture[str], **changes: object) -> None:
    scale = TIME_SCALES[name]
    settings = {
        "confirmation": {"seeds": [101], "time_scale": scale, "front": 1},
        "constraints": LOOSE,
        "seeds": [1],
        "variants": {},
        "sampler": {"kind": "random", "seed": 1},
    }
    document = shipped_campaigns()[name].spec | settings | changes
    file = folder / "campaign.json"
    file.write_text(json.dumps(document))
    words = ["tune", str(file), "--trials", "2", "--time-scale", str(scale), "--parallel", "1", "--output", "json"]
    assert run([*words, "--storage", str(folder / "c.sqlite3")]) == 0
    report = json.loads(capsys.readouterr().out)
    assert report["counts"]["trials"] == 2
    assert report["recommended"]["metrics"]["contributor_total_gbps"] > 0


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(shipped_campaigns().keys() - goals().keys()))
def test_no_recommendation_serves_fewer_scenarios_than_the_expert(name: str, tmp_path: Path) -> None:
    words = ["tune", name, "--parallel", "1", "--time-s", "36000", "--report", str(tmp_path / "out")]
    assert run(words) == 0
    report = json.loads((tmp_path / "out" / "report.json").read_text())
    rows = {role: row for row in report["scenarios"]["rows"] for role in row["roles"]}
    assert len(report["scenarios"]["scenarios"]) >= 3
    assert rows["recommended"]["served"] >= rows["expert"]["served"], report["scenarios"]["sentence"]
    for one in report["profiles"]:
        assert load_profile(tmp_path / "out" / one["file"]).to_dict() == one["profile"]


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(shipped_campaigns()))
def test_a_challenge_breaks_no_recommendation_where_it_was_stated(name: str, tmp_path: Path) -> None:
    """The worst find is printed and kept. A campaign without scenarios states what the expert keeps, who may be lost himself:
    there the find alone is asked for."""
    storage, answer = tmp_path / "c.sqlite3", tmp_path / "challenge.json"
    words = ["tune", name, "--parallel", "1", "--time-s", "36000", "--storage", str(storage)]
    if name in goals():
        words += ["--fabric", "leaf-spine-64"]
    assert run(words) == 0
    runs = "500" if name == "scenario-1" else "100"
    code = run(["campaign", "challenge", str(storage), "--runs", runs, "--output", "json", "-o", str(answer)])
    found = json.loads(answer.read_text())
    print(name, found["sentence"])
    assert code == (0 if found["holds"] else 1)
    assert found["worst"] is not None
    assert stored_campaign(storage).facts["challenge"] == found
    if "scenarios" in shipped_campaigns()[name].spec:
        assert found["worst"]["violation"] <= 0.05


def test_the_large_fabric_is_what_its_command_makes() -> None:
    shipped = catalogue.find("fabric", "fat-tree-648").read_text(encoding="utf-8")
    made = generate(
        "three-stage",
        name="fat-tree-648",
        radix=36,
        mtu_bytes=2048,
        host_rate="4xDDR",
        inject_gbps=13.5,
        receive_gbps=13.6,
    )
    document = load_fabric("fat-tree-648")
    assert (len(document.hosts), len(document.switches), len(document.links)) == (648, 54, 1296)
    assert shipped.endswith("routing dmodk\n" + fabric_text(made))
