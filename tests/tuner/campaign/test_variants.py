# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A gain that lives only in one model of the devices is not recommended without saying so."""

from collections.abc import Callable, Mapping
from typing import Any

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.replicates import Estimate
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.campaign.variants import worse
from tuner.errors import BadInputError
from tuner.goals.objectives import OBJECTIVES
from tuner.report.document import report_document

pytestmark = pytest.mark.long

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

SPACE = "{ca.ccti_timer: {choices: [130, 149]}, switch.marking_rate: {low: 4, high: 20}}"
VARIANTS = "variants: {acks: {model.ca.becn_carrier: ack}, flows: {model.ca.ccti_timer: flow}}"
ACKS = "adapters that send BECNs on acknowledgements"
OWN = "adapters that send CNPs and have one CCTI_Timer for each port and SL"


class Model(AnalyticBackend):
    """With BECNs on acknowledgements, a CCTI_Timer below the expert's lets the victim down."""

    def __init__(self, settings: Mapping[str, Any]) -> None:
        super().__init__()
        self._acks = settings.get("model.ca.becn_carrier") == "ack"

    def _series(self, workload, seed):  # type: ignore[no-untyped-def]
        rows = super()._series(workload, seed)
        assert self._profile is not None
        settings = self._profile.to_dict()
        if self._acks and settings["enable"] and settings["ca"]["ccti_timer"] != 150:
            rows[0] *= 0.5
        return rows


def ran(load: Load, run: Run, text: str = VARIANTS, space: str = SPACE) -> CampaignResult:
    opened: list[str] = []

    def open_other(name: str, settings: Mapping[str, Any]) -> Model:
        opened.append(name)
        return Model(settings)

    # Not from gran-2010's own settings, which hold in each variant. The others are steadier, and cost the victim little.
    starts = "" if "start_from" in text else "start_from: []\n"
    setup = load(trials=12, space=space, extra=f"{starts}{text}")
    result = run(setup, backend=lambda: Model({}), open_other=open_other)
    assert set(opened) == {"simulated"}
    return result


def test_each_variant_is_measured_with_fresh_seeds_and_says_what_is_lost(load: Load, run: Run) -> None:
    result = ran(load, run)
    assert result.recommended is not None
    acks, flows = result.variants
    assert (acks.name, dict(acks.settings)) == ("acks", {"model.ca.becn_carrier": "ack"})
    for one in (acks.baseline, acks.expert, acks.recommended):
        assert one.evaluation.seeds == (101, 102)
    assert acks.lost == ("victim_throughput",)
    assert flows.lost == ()
    sentences = " ".join(report_document(result, commands=[])["headline"]["sentences"])
    assert f"The gain holds for adapters that have one CCTI_Timer for each flow too, but it is lost for {ACKS}" in sentences
    assert "(victim throughput)." in sentences


def test_a_gain_in_one_model_only_is_told(load: Load, run: Run) -> None:
    result = ran(load, run, "variants: {acks: {model.ca.becn_carrier: ack}}")
    sentences = " ".join(report_document(result, commands=[])["headline"]["sentences"])
    assert f"The gain depends on one model of the devices: it is lost for {ACKS}" in sentences


def test_each_model_has_its_profile_where_one_does_not_serve_all(load: Load, run: Run) -> None:
    result = ran(load, run)
    assert result.robust is False
    acks, flows = result.variants
    assert acks.best is not None
    assert flows.best is not None
    assert acks.best.origin == "gran-2010"
    assert flows.best.trial == result.picked_by_rule
    report = report_document(result, commands=[])
    profiles = report["profiles"]
    assert [one["devices"] for one in profiles] == [OWN, ACKS, "adapters that have one CCTI_Timer for each flow"]
    # The sentence has a clause for each of them.
    assert f"for {OWN} trial {result.picked_by_rule} has" in report["finding"]
    assert f"for {ACKS} gran-2010 stays best" in report["finding"]
    assert [(one["variant"], one["file"]) for one in profiles] == [
        (None, "profile-own-devices.yaml"),
        ("acks", "profile-acks.yaml"),
        ("flows", "profile-flows.yaml"),
    ]


def test_the_experts_settings_are_recommended_where_nothing_else_holds(load: Load, run: Run) -> None:
    space = "{ca.ccti_timer: {choices: [130, 149, 150]}, switch.marking_rate: {low: 1, high: 20}}"
    result = ran(load, run, f"start_from: [gran-2010]\n{VARIANTS}", space=space)
    assert result.recommended is not None
    assert result.recommended.record.origin == "gran-2010"
    assert result.robust is True
    assert result.picked_by_rule != result.recommended.record.number
    sentences = " ".join(report_document(result, commands=[])["headline"]["sentences"])
    pick = f"trial {result.picked_by_rule}"
    assert f"The settings are those of gran-2010: {pick} is better for {OWN}, but" in sentences
    assert f"for {ACKS} it is worse than gran-2010 (victim throughput)." in sentences
    assert f"profile-own-devices.yaml ({pick}) for {OWN}" in sentences
    assert "chosen by a person" not in sentences


def test_a_recommendation_that_serves_all_devices_needs_no_other_profile(load: Load, run: Run) -> None:
    result = ran(load, run, "variants: {flows: {model.ca.ccti_timer: flow}}")
    assert result.robust is True
    report = report_document(result, commands=[])
    assert report["profiles"] == []
    assert "does not depend on one model of the devices: it holds for" in " ".join(report["headline"]["sentences"])


def test_without_robust_the_rule_alone_decides(load: Load, run: Run) -> None:
    result = ran(load, run, f"recommend: {{robust: false}}\n{VARIANTS}")
    assert result.recommended is not None
    assert result.recommended.record.number == result.picked_by_rule
    assert [variant.lost for variant in result.variants] == [("victim_throughput",), ()]
    assert all(variant.best is None for variant in result.variants)
    assert report_document(result, commands=[])["profiles"] == []


def test_variants_are_not_measured_again(load: Load, run: Run) -> None:
    first = ran(load, run)
    second = ran(load, run)
    assert [variant.recommended.evaluation for variant in second.variants] == [
        variant.recommended.evaluation for variant in first.variants
    ]


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("variants: {x: {model.ca.becn_carier: ack}}", r"variant 'x': .*becn_carrier"),
        ("variants: {x: {ca.becn_carrier: ack}}", "ca.becn_carrier"),
        ("variants: {x: {}}", r"variants\.x"),
    ],
)
def test_a_mistake_in_a_variant_is_told_before_the_search(load: Load, text: str, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        load(extra=text)


def test_worse_means_more_than_a_percent_and_more_than_chance() -> None:
    victim, variation = OBJECTIVES.get("victim_throughput"), OBJECTIVES.get("treatment_variation")

    def difference(value: float, error: float | None) -> Estimate:
        return Estimate(value=value, standard_error=error, replicates=3)

    assert worse(victim, difference(-1.0, 0.01), 13.0)
    assert not worse(victim, difference(-0.1, 0.001), 13.0)
    assert not worse(victim, difference(1.0, 0.01), 13.0)
    assert not worse(victim, difference(-1.0, 1.0), 13.0)
    assert worse(victim, difference(-1.0, None), 13.0)
    assert worse(variation, difference(0.02, 0.001), 0.03)
    assert not worse(variation, difference(-0.02, 0.001), 0.03)
