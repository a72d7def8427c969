# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Variants are scenarios that the best trials run in after the search: what serves the most of them is recommended."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from rich.table import Table

from tests.tuner.campaign.analytic import AnalyticBackend, OnDevices
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.cli.tune_result import result_table
from tuner.errors import BadInputError
from tuner.report.document import report_document
from tuner.report.html import report_html

pytestmark = pytest.mark.long

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

SPACE = "{ca.ccti_timer: {choices: [148, 149]}, switch.marking_rate: {low: 4, high: 20}}"
VARIANTS = "variants: {acks: {model.ca.becn_carrier: ack}, flows: {model.ca.ccti_timer: flow}}"
ACKS = "adapters that send BECNs on acknowledgements"


def ran(load: Load, run: Run, text: str = VARIANTS, space: str = SPACE, **options: Any) -> CampaignResult:
    opened: list[str] = []

    def open_other(name: str, settings: Mapping[str, Any]) -> AnalyticBackend:
        opened.append(name)
        return OnDevices()

    # Not from gran-2010's own settings, which hold in each variant. The others are steadier, and cost the victim little.
    starts = "" if "start_from" in text else "start_from: []\n"
    setup = load(trials=12, space=space, extra=f"{starts}{text}")
    result = run(setup, open_other=open_other, **options)
    assert set(opened) == {"simulated"}
    return result


def test_the_best_trials_run_in_each_variant_with_fresh_seeds(load: Load, run: Run) -> None:
    result = ran(load, run)
    found = result.scenarios
    assert found is not None
    assert [scenario.name for scenario in found.scenarios] == ["own devices", "acks", "flows"]
    assert found.recommended is not None
    assert found.recommended.evaluation.seeds == (101, 102)
    assert found.recommended.lost == ("acks",)
    assert found.recommended.broken["acks"] == ("victims_share",)
    assert found.expert.lost == ()
    assert found.effort is None


def test_the_search_costs_no_more_and_keeps_its_identity(load: Load, run: Run) -> None:
    """So stored campaigns go on, and a trial has no run more than without variants."""
    result = ran(load, run)
    for trial in result.trials:
        assert trial.evaluation is not None
        assert set(trial.evaluation.workloads) == {"small"}
    plain = load(trials=12, space=SPACE, extra="start_from: []")
    assert result.setup.identity() == plain.identity()


def test_one_sentence_and_one_map_are_everywhere(load: Load, run: Run) -> None:
    result = ran(load, run)
    report = report_document(result, commands=[])
    scenarios = report["scenarios"]
    # Where victims are lost they have half of what they get alone.
    assert scenarios["sentence"].startswith(f"holds in 2 of 3 scenarios; with 2 contributors, victims lose with {ACKS}")
    assert scenarios["sentence"].endswith("trials that were measured there serves more than 2 of 3 scenarios")
    assert report["finding"].startswith(f"Trial {result.picked_by_rule} is recommended: victim throughput is 12.9 Gb/s")
    assert f"; it {scenarios['sentence']}" in report["finding"]
    page = report_html(report)
    assert report["finding"].replace("'", "&#39;") in page
    assert '<strong class="broken">victims ' in page
    assert "What the best trial leaves contributors" not in page, "the search had no part in the scenarios"
    tables = [table for table in result_table(report) if isinstance(table, Table)]
    assert {"Scenario", "Devices"} <= {str(table.columns[0].header) for table in tables}


def test_each_model_that_the_recommendation_does_not_serve_has_its_profile(load: Load, run: Run) -> None:
    report = report_document(ran(load, run), commands=[])
    (acks,) = report["profiles"]
    assert (acks["variant"], acks["file"], acks["devices"]) == ("acks", "profile-acks.yaml", ACKS)
    assert acks["origin"] == "gran-2010"
    assert acks["gain"].startswith("serves 1 of 1 scenario there; victims keep at least 100 %")
    assert acks["estimates"]["victim_throughput_gbps"]["value"] == pytest.approx(13.0, rel=0.01)


def test_the_experts_settings_are_recommended_where_they_alone_serve_all(load: Load, run: Run) -> None:
    space = "{ca.ccti_timer: {choices: [148, 149, 150]}, switch.marking_rate: {low: 1, high: 20}}"
    result = ran(load, run, f"start_from: [gran-2010]\n{VARIANTS}", space=space)
    assert result.recommended is not None
    assert result.scenarios is not None
    assert result.scenarios.recommended is not None
    assert result.scenarios.recommended.lost == ()
    settings = result.recommended.confirmed.profile.to_dict()
    assert settings["ca"]["ccti_timer"] == 150
    report = report_document(result, commands=[])
    assert "it holds for all 3 models of the devices with 2 contributors" in report["finding"]


def test_a_recommendation_that_serves_all_devices_needs_no_other_profile(load: Load, run: Run) -> None:
    report = report_document(ran(load, run, "variants: {flows: {model.ca.ccti_timer: flow}}"), commands=[])
    assert report["profiles"] == []
    assert "it holds for all 2 models of the devices" in report["finding"]


def test_without_robust_the_rule_alone_decides(load: Load, run: Run) -> None:
    result = ran(load, run, f"recommend: {{robust: false}}\n{VARIANTS}")
    assert result.recommended is not None
    assert result.recommended.record.number == result.picked_by_rule
    assert result.scenarios is not None
    assert result.scenarios.required == ("own devices",)
    assert result.scenarios.recommended is not None
    assert result.scenarios.recommended.lost == ("acks",)
    assert report_document(result, commands=[])["profiles"] == []


def test_a_person_is_not_overruled(load: Load, run: Run) -> None:
    first = ran(load, run)
    other = next(tried for tried in first.front if tried.record.number != first.picked_by_rule).record.number
    result = ran(load, run, f"recommend: {{trial: {other}}}\n{VARIANTS}")
    assert result.recommended is not None
    assert result.recommended.record.number == other
    assert result.scenarios is not None
    assert result.scenarios.recommended is not None
    assert result.scenarios.recommended.trial == other


def test_nothing_is_measured_again(load: Load, run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    first = ran(load, run)
    with monkeypatch.context() as patched:
        patched.setattr(AnalyticBackend, "measure", lambda *words, **options: pytest.fail("measured again"))
        second = ran(load, run)
    assert second.scenarios == first.scenarios


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("variants: {x: {model.ca.becn_carier: ack}}", r"scenario 'x': .*becn_carrier"),
        ("variants: {x: {ca.becn_carrier: ack}}", "ca.becn_carrier"),
        ("variants: {x: {}}", r"variants\.x"),
        ("variants: {own: {model.ca.becn_carrier: ack}}", "variants names 'own', which stands for the campaign's own devices"),
    ],
)
def test_a_mistake_in_a_variant_is_told_before_the_search(load: Load, text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        load(extra=text)
