# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A campaign with scenarios, simulated: what it recommends, what it tells, and how it resumes."""

import functools
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from rich.table import Table

from tuner.backends.registry import create_backend
from tuner.campaign.evaluation import evaluate
from tuner.campaign.prepare import prepare
from tuner.campaign.progress import Phase, Progress, Runs
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.scenarios.yardsticks import alike
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.cli.tune_result import result_table
from tuner.documents.campaign import load_campaign
from tuner.errors import BadInputError, InterruptedRunError
from tuner.measuring.configuration import Configuration
from tuner.measuring.options import BackendOptions
from tuner.report.document import report_document
from tuner.report.html import report_html

pytestmark = pytest.mark.long

MODELS = "{acks: {model.ca.becn_carrier: ack}, flows: {model.ca.ccti_timer: flow}}"
BY_HAND = "{switch.marking_rate: 1, ca.ccti_timer: 260, cct.curve.full_scale_us: 4, cct.curve.exponent: 1.5}"


def setup_of(folder: Path, *, scenarios: str = f"{{models: {MODELS}}}", trials: int = 2, extra: str = "") -> Setup:
    text = f"""\
ibcc_campaign: 1
name: by-hand
workloads: [scenario-1]
fabric: two-switch-16
suggestion: false
start_from: [gran-2010]
start_values: {{by hand: {BY_HAND}}}
space:
  switch.marking_rate: {{low: 0, high: 4}}
  ca.ccti_timer: {{low: 20, high: 800, log: true}}
  cct.curve.full_scale_us: {{low: 2.0, high: 60.0, log: true}}
  cct.curve.exponent: {{low: 0.5, high: 3.0}}
budget: {{trials: {trials}}}
time_scale: 0.1
confirmation: {{seeds: [101, 102], time_scale: 0.04, front: 2}}
scenarios: {scenarios}
{extra}
"""
    path = folder / "campaign.yaml"
    path.write_text(text, encoding="utf-8")
    return prepare(*load_campaign(path))


def run(setup: Setup, file: Path, **options: Any) -> CampaignResult:
    with CampaignStore.open(
        file, setup.campaign.name, identity=setup.identity(), objectives=setup.objectives, mode="auto"
    ) as store:
        backend = functools.partial(create_backend, "simulated", BackendOptions(profiles=setup.profiles))
        return run_campaign(setup, store, backend, **options)


@pytest.fixture(scope="module")
def by_hand(tmp_path_factory: pytest.TempPathFactory) -> CampaignResult:
    folder = tmp_path_factory.mktemp("by-hand")
    return run(setup_of(folder), folder / "c.sqlite3")


def test_a_profile_that_serves_all_three_models_is_better_than_the_expert(by_hand: CampaignResult) -> None:
    """The table of profiles tried by hand: with four contributors, gran-2010 fails where acknowledgements carry BECNs."""
    assert by_hand.recommended is not None
    assert by_hand.recommended.record.origin == "by hand"
    found = by_hand.scenarios
    assert found is not None
    assert found.recommended is not None
    assert found.recommended.served == 3
    assert found.recommended.evaluation.seeds == (101, 102)
    assert found.expert.lost == ("acks",)
    assert found.expert.broken["acks"] == ("victims_share",)
    variation = {name: row.evaluation.by_workload() for name, row in (("own", found.recommended), ("expert", found.expert))}
    for scenario in ("own devices", "flows"):
        ours, published = (variation[name][scenario].treatment_variation_gbps2 for name in ("own", "expert"))
        assert ours is not None
        assert published is not None
        assert ours < published


def test_one_sentence_one_map_and_the_prices_are_everywhere(by_hand: CampaignResult) -> None:
    report = report_document(by_hand, commands=[])
    assert report["finding"].startswith("Trial 1 is recommended: it holds for all 3 models of the devices with 4 contributors")
    document = report["scenarios"]
    assert document["sentence"] in report["finding"]
    recommended, expert = document["rows"][0], document["rows"][-1]
    assert (recommended["served"], expert["served"], expert["origin"]) == (3, 2, "gran-2010")
    assert expert["cells"]["acks"]["victims_share"] < 0.5
    assert [price["served"] for price in document["prices"]] == [1, 2, 3]
    assert document["prices"][-1]["scenarios"][-1] == "acks"
    page = report_html(report)
    assert "What the best trial leaves contributors" in page
    assert page.count('<strong class="broken">victims ') >= 1
    assert report["finding"] in page
    tables = [table for table in result_table(report) if isinstance(table, Table)]
    assert "Scenario" in [table.columns[0].header for table in tables]


class Kills:
    """Stops the campaign as soon as a trial of the search is kept."""

    def __init__(self) -> None:
        self.trials = 0

    def phase(self, phase: Phase, progress: Progress) -> None: ...

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        self.trials += 1

    def measured(self, name: str, runs: Runs) -> None: ...


@pytest.mark.thorough
def test_an_interrupted_campaign_resumes_and_measures_nothing_twice(tmp_path: Path, by_hand: CampaignResult) -> None:
    setup, kills = setup_of(tmp_path), Kills()
    with pytest.raises(InterruptedRunError):
        run(setup, tmp_path / "c.sqlite3", listener=kills, should_stop=lambda: kills.trials > 0)
    again, later = run(setup, tmp_path / "c.sqlite3"), Kills()
    assert [record.values for record in again.trials] == [record.values for record in by_hand.trials]
    assert again.recommended is not None
    assert again.recommended.record.origin == "by hand"
    run(setup, tmp_path / "c.sqlite3", listener=later)
    assert later.trials == 0
    with pytest.raises(BadInputError, match=r"differs in scenarios; only the budget may change"):
        run(setup_of(tmp_path, scenarios="{models: {acks: {model.ca.becn_carrier: ack}}}"), tmp_path / "c.sqlite3")


def test_without_robust_the_own_devices_alone_decide(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, scenarios="{models: {acks: {model.ca.becn_carrier: ack}}}", extra="recommend: {robust: false}")
    result = run(setup, tmp_path / "c.sqlite3")
    assert result.scenarios is not None
    assert result.scenarios.required == ("own devices",)
    assert {run.workload for record in result.trials if record.evaluation for run in record.evaluation.runs} == {"own devices"}
    assert result.scenarios.expert.lost == ("acks",)
    assert result.scenarios.recommended is not None
    assert set(result.scenarios.recommended.broken) == {"own devices", "acks"}


def test_models_that_differ_with_congestion_control_alone_share_their_yardsticks(tmp_path: Path) -> None:
    """What they share is what each of them has."""
    setup = setup_of(tmp_path)
    off, shared = Configuration(setup.baseline), {}
    backend = create_backend("simulated", BackendOptions())
    backend.open()
    for scenario in setup.scenarios:
        plan = replace(setup.search, workloads=(scenario.workload.scaled(0.02),))
        measured, _ = evaluate(backend, off, plan, lambda: False)
        shared[scenario.name] = measured.metrics
    assert len(shared) == 3
    assert len(set(shared.values())) == 1


def test_a_model_that_differs_with_congestion_control_off_has_its_own(tmp_path: Path) -> None:
    setup = setup_of(tmp_path, scenarios="{models: {acks: {model.ca.becn_carrier: ack}, slow: {model.switch.read_ports: 1}}}")
    assert alike(setup.search, Configuration(setup.baseline)) == {"own devices": ["own devices", "acks"], "slow": ["slow"]}
    assert len(alike(setup.search, Configuration(setup.expert))) == 3
