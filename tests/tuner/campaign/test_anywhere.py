# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The campaigns that ship run on fabrics that they do not know, at the cost that was told before."""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tuner.campaign.cost import cost_of
from tuner.campaign.prepare import prepare
from tuner.campaign.setup import Setup
from tuner.campaign.shipped import goals, shipped_campaigns
from tuner.cli.main import run
from tuner.documents.campaign import load_campaign
from tuner.documents.congestion_control import CongestionControlRow
from tuner.documents.fabric import FabricDocument
from tuner.documents.fabric_text import fabric_text
from tuner.errors import BadInputError
from tuner.fabric.importers.base import import_fabric
from tuner.fabric.topologies.base import generate

SUPERPOD = "data/fabrics/superpod-ndr-40sw-582ca.ibnetdiscover"
STRANGERS: dict[str, Callable[[Path], FabricDocument]] = {
    "superpod": lambda shared: import_fabric(shared / SUPERPOD, name="superpod").fabric,
    "three-level tree": lambda shared: generate("k-ary-n-tree", k=4, n=3),
    "torus": lambda shared: generate("torus", dims=[4, 4, 3], hosts_per_switch=2),
    "dragonfly": lambda shared: generate("dragonfly", a=4, p=2, h=2),
}
MOST_CPU_S = 2 * 300
"""Five minutes on two cores."""


def written(folder: Path, document: FabricDocument) -> Path:
    path = folder / "fabric.yaml"
    path.write_text(fabric_text(document), encoding="utf-8")
    return path


@pytest.mark.slow
@pytest.mark.parametrize("fabric", list(STRANGERS))
@pytest.mark.parametrize("name", sorted(shipped_campaigns().keys() - goals().keys()))
def test_two_trials_take_less_than_five_minutes(name: str, fabric: str, tmp_path: Path, shared: Path) -> None:
    """The whole campaign: references, two trials, confirmation and variants. docs/use/campaigns.md has what it took."""
    document = STRANGERS[fabric](shared)
    if name.endswith("-dcqcn"):
        document = document.model_copy(update={"congestion_control": (CongestionControlRow(dialect="nvidia-dcqcn"),)})
    path = written(tmp_path, document)
    began_s = time.process_time()
    code = run(["tune", name, "--fabric", str(path), "--trials", "2", "--report", str(tmp_path / "out")])
    took_s = time.process_time() - began_s
    assert code in (0, 1)  # 1: neither of two trials keeps all constraints
    report = json.loads((tmp_path / "out/report.json").read_text())
    assert report["counts"]["trials"] == 2
    assert took_s < MOST_CPU_S, f"{took_s:.0f} s of processor time"


@pytest.mark.long
def test_one_of_them_briefly(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, STRANGERS["dragonfly"](tmp_path))
    brief = {"seeds": [1], "confirmation": {"seeds": [101], "front": 1}, "variants": {}, "fabric": str(path)}
    campaign = tmp_path / "campaign.json"
    campaign.write_text(json.dumps(shipped_campaigns()["tail-latency"].spec | brief))
    words = ["tune", str(campaign), "--trials", "2", "--storage", str(tmp_path / "c.sqlite3"), "--output", "json"]
    assert run(words) in (0, 1)
    report = json.loads(capsys.readouterr().out)
    assert report["counts"]["trials"] == 2
    found = report["baseline"]["metrics"]
    assert found["contributor_total_gbps"] > 300  # of a host's 400
    assert found["round_trip_p99_us"] > 0


def setup_on(name: str, path: Path | None, **changes: Any) -> Setup:
    return prepare(*load_campaign(name, changes | ({} if path is None else {"fabric": str(path)})))


@pytest.mark.long
@pytest.mark.parametrize("name", ["scenario-1", "incast-32"])
def test_the_cost_that_is_told_is_what_a_run_takes(name: str, tmp_path: Path) -> None:
    """Hops of one run of the whole length; processor time depends on what else the machine does."""
    from tuner.backends.registry import create_backend
    from tuner.measuring.options import BackendOptions

    setup = setup_on(name, written(tmp_path, STRANGERS["dragonfly"](tmp_path)), time_scale=0.3)
    told = cost_of(setup)
    assert told.packet_hops is not None
    assert told.cpu_s is not None
    (workload,) = setup.search.workloads
    backend = create_backend("simulated", BackendOptions())
    backend.open()
    backend.apply(setup.expert)
    hops = backend.measure(workload, seed=1).performance.packet_hops
    assert hops is not None
    told_a_run = told.packet_hops / told.simulated_s * workload.duration_s
    assert 0.4 < told_a_run / hops < 2.5


def test_the_cost_grows_with_trials_and_stays_on_faster_links(tmp_path: Path) -> None:
    fast, slow = (generate("dragonfly", a=4, p=2, h=2, host_rate=rate, switch_rate=rate) for rate in ("4xNDR", "4xQDR"))
    found = {}
    for name, document in (("fast", fast), ("slow", slow)):
        folder = tmp_path / name
        folder.mkdir()
        found[name] = cost_of(setup_on("scenario-1", written(folder, document))).packet_hops
    assert found["fast"] is not None
    assert found["slow"] is not None
    assert found["fast"] / found["slow"] == pytest.approx(1, rel=0.3)
    few, many = (cost_of(setup_on("scenario-1", None, **{"budget.trials": trials})) for trials in (4, 40))
    assert many.runs - few.runs == 36 * 2
    assert few.search_s == 100


def test_the_reference_point_follows_the_rate(tmp_path: Path) -> None:
    """Gb/s times 25, from hosts of 16 to such of 400 Gb/s; Gb²/s² times 625."""
    own = setup_on("scenario-1", None).campaign.hypervolume_reference
    there = setup_on("scenario-1", written(tmp_path, STRANGERS["torus"](tmp_path))).campaign.hypervolume_reference
    assert own == {"victim_throughput": 2, "treatment_variation": 0.05}
    assert there["victim_throughput"] == pytest.approx(own["victim_throughput"] * 25, rel=0.01)
    assert there["treatment_variation"] == pytest.approx(own["treatment_variation"] * 625, rel=0.01)


def test_what_cannot_be_placed_is_told_before_anything_is_stored(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = written(tmp_path, generate("leaf-spine", leaves=3, spines=1, hosts_per_leaf=1))
    storage = tmp_path / "c.sqlite3"
    assert run(["tune", "scenario-1", "--fabric", str(path), "--storage", str(storage)]) == 2
    said = capsys.readouterr().err
    assert "workload 'scenario-1' needs at least 5 hosts, " in said
    assert "and there are 3" in said
    assert not storage.exists()


def test_a_dry_run_shows_hosts_and_cost_and_measures_nothing(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, storage = written(tmp_path, STRANGERS["torus"](tmp_path)), tmp_path / "c.sqlite3"
    words = ["tune", "scenario-1", "--fabric", str(path), "--storage", str(storage), "--dry-run"]
    assert run([*words, "--output", "json", "--set", "campaign.roles.contributors=6"]) == 0
    plan = json.loads(capsys.readouterr().out)
    (workload,) = plan["workloads"]
    assert workload["roles"] == {"victim": 1, "contributor": 6}
    assert len(workload["hotspots"]) == 1
    assert [flow["shares"] != [] for flow in workload["flows"] if flow["role"] == "victim"] == [True]
    assert plan["cost"]["runs"] > 100
    assert run(words) == 0
    out = capsys.readouterr().out
    assert "F1 shares S" in out
    assert "of processor time" in out
    assert not storage.exists()


def test_roles_alone_are_a_workload(tmp_path: Path) -> None:
    document = {"ibcc_workload": 1, "name": "mine", "fabric": "leaf-spine-64", "duration_s": 0.002, "sample_interval_s": 0.0001}
    mine = tmp_path / "mine.yaml"
    mine.write_text(json.dumps(document | {"roles": {"contributors": {"count": 5, "load": 0.5}, "victims": {"load": 0.1}}}))
    (workload,) = setup_on("scenario-1", None, workloads=[str(mine)]).workloads
    rates = {flow.role: flow.rate_gbps for flow in workload.flows}
    assert rates["victim"] == pytest.approx(rates["contributor"] / 5, rel=1e-4)  # type: ignore[operator]
    assert run(["simulate", str(mine)]) == 0


def test_counts_of_a_workload_without_roles_are_refused(tmp_path: Path) -> None:
    with pytest.raises(BadInputError, match="workload 'hotspots' has no roles, so their number \\(victims\\) cannot be changed"):
        setup_on("scenario-1", None, workloads=["hotspots"], **{"roles.victims": 2})
