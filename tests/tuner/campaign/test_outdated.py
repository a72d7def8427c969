# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign that an earlier release has stored goes on, unless its trials were measured with other traffic."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from optuna.samplers import RandomSampler
from typer.testing import CliRunner

from tuner.campaign.prepare import prepare
from tuner.campaign.record import TrialRecord
from tuner.campaign.setup import Setup, digest_of
from tuner.campaign.store import CampaignStore
from tuner.campaign.stored import stored_campaign
from tuner.cli.campaign import app
from tuner.documents.campaign import load_campaign
from tuner.documents.congestion_control import CongestionControlRow
from tuner.errors import BadInputError

FLOWS = """
- {name: F1, src: H2, dst: H4, rate_gbps: 4, role: victim}
- {name: F2, src: H2, dst: H5, rate_gbps: %s}
"""
FOREST = """
- {kind: hotspots, name: f, hotspots: 1, b_percent: %d}
"""
IN_RELEASE_0_1 = {
    *("start_s", "stop_s", "message_bytes", "qps", "sl", "rate_gbps", "kind", "name", "role", "hosts", "hotspots"),
    *("b_percent", "b_nodes", "c_percent", "c_nodes", "p_percent", "active", "load", "move_every_s", "seed"),
}
"""Keys of hotspots in what release 0.1 stored."""


@pytest.fixture
def load(tmp_path: Path) -> Callable[..., Setup]:
    def loaded(traffic: str) -> Setup:
        (tmp_path / "w.yaml").write_text(
            f"ibcc_workload: 1\nname: w\nfabric: two-switch\nduration_s: 0.02\nsample_interval_s: 0.001\n{traffic}"
        )
        (tmp_path / "c.yaml").write_text(
            "ibcc_campaign: 1\nname: c\nworkloads: [./w.yaml]\nbase: gran-2010\nexpert: gran-2010\n"
            "space: {ca.ccti_timer: {low: 10, high: 400}}\nbudget: {trials: 2}\nhypervolume_reference: "
            "{victim_throughput: 2, treatment_variation: 0.05}\nconfirmation: {seeds: [101]}\n"
        )
        return prepare(*load_campaign(tmp_path / "c.yaml"))

    return loaded


def open_store(path: Path, setup: Setup, identity: dict[str, Any] | None = None, *, trials: int = 0, **more: Any) -> None:
    """Opens and closes the campaign. `trials`: number of those that are measured meanwhile."""
    with CampaignStore.open(
        path,
        setup.campaign.name,
        identity=identity or setup.identity(),
        former_identities=setup.former_identities(),
        outdated=setup.outdated,
        objectives=setup.objectives,
        **more,
    ) as store:
        store.remember("settings", {"campaign": setup.campaign.model_dump(mode="json", exclude_unset=True), "set": []})
        for number in range(trials):
            trial = store.ask(RandomSampler(), lambda trial: None, number)
            store.finish(trial, TrialRecord(number=number, origin="sampler", params={}, state="failed"))


@pytest.mark.long
@pytest.mark.parametrize("traffic", [f"flows: {FLOWS % '4'}", f"patterns: {FOREST % 0}"])
def test_one_whose_traffic_is_the_same_goes_on(tmp_path: Path, load: Callable[..., Setup], traffic: str) -> None:
    setup = load(traffic)
    (former,) = setup.former_identities()
    assert "traffic" not in former
    assert "qp_scheduling" not in json.dumps(former["devices"])
    for pattern in former["workloads"][0]["patterns"]:
        assert set(pattern) == IN_RELEASE_0_1
    open_store(tmp_path / "c.sqlite3", setup, former, trials=1)
    assert stored_campaign(tmp_path / "c.sqlite3").outdated is None
    open_store(tmp_path / "c.sqlite3", setup)
    assert stored_campaign(tmp_path / "c.sqlite3").facts["identity"]["traffic"] == 2


def test_the_scheme_of_before_there_was_a_choice_is_not_stored(load: Callable[..., Setup]) -> None:
    setup = load(f"flows: {FLOWS % '4'}")
    assert "scheme" not in setup.identity()["devices"]["two-switch"]
    other = replace(setup, backend_settings={"scheme.name": "ith"})
    assert other.identity()["devices"]["two-switch"]["scheme"]["name"] == "ith"


@pytest.mark.long
@pytest.mark.parametrize("traffic", [f"flows: {FLOWS % '9'}", f"patterns: {FOREST % 50}"])
def test_one_whose_traffic_is_another_is_marked_and_not_continued(
    tmp_path: Path, load: Callable[..., Setup], traffic: str
) -> None:
    storage, setup = tmp_path / "c.sqlite3", load(traffic)
    open_store(storage, setup, setup.former_identities()[0], trials=1)
    with pytest.raises(BadInputError, match="holds campaign 'c', which was measured with the traffic of ibcc 0.1.*--fresh"):
        open_store(storage, setup)

    run = CliRunner().invoke
    assert "measured with the traffic of ibcc 0.1" in " ".join(run(app, ["show", str(storage)]).output.split())
    assert "old traffic" in run(app, ["list", str(storage)]).output
    assert "traffic of ibcc 0.1" in json.loads(run(app, ["show", str(storage), "--output", "json"]).output)["outdated"]
    cloned = run(app, ["clone", str(storage), "--name", "second", "-o", str(tmp_path / "second.yaml")])
    assert cloned.exit_code == 0
    assert "measured with the traffic of ibcc 0.1" in cloned.output

    open_store(storage, setup, setup.former_identities()[0], mode="fresh")
    assert stored_campaign(storage).outdated is None  # nothing has been measured
    open_store(storage, setup)


def test_a_fabric_without_congestion_control_is_that_of_before_there_was_the_key(load: Callable[..., Setup]) -> None:
    setup = load(f"flows: {FLOWS % '4'}")
    ((name, fabric),) = setup.fabrics.items()
    of_before = {name: digest_of(fabric.model_dump(mode="json", exclude={"hardware", "congestion_control", "incomplete"}))}
    assert setup.identity()["fabrics"] == of_before
    rows = (CongestionControlRow(dialect="nvidia-dcqcn"),)
    other = replace(setup, fabrics={name: fabric.model_copy(update={"congestion_control": rows})})
    assert other.identity()["fabrics"] != of_before
