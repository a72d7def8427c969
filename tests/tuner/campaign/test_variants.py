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

VARIANTS = "variants: {acks: {model.ca.becn_carrier: ack}, flows: {model.ca.ccti_timer: flow}}"


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


def ran(load: Load, run: Run, text: str = VARIANTS) -> CampaignResult:
    opened: list[str] = []

    def open_other(name: str, settings: Mapping[str, Any]) -> Model:
        opened.append(name)
        return Model(settings)

    # Not from gran-2010's own settings: those might be the best there are, and gain nothing that could be lost.
    result = run(load(trials=25, extra=f"start_from: []\n{text}"), backend=lambda: Model({}), open_other=open_other)
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
    assert "The gain holds with model.ca.ccti_timer=flow too, but it is lost with model.ca.becn_carrier=ack" in sentences
    assert "(victim throughput): where devices behave so, search again with that setting." in sentences


def test_a_gain_in_one_model_only_is_told(load: Load, run: Run) -> None:
    result = ran(load, run, "variants: {acks: {model.ca.becn_carrier: ack}}")
    sentences = " ".join(report_document(result, commands=[])["headline"]["sentences"])
    assert "The gain depends on one model of the devices: it is lost with model.ca.becn_carrier=ack" in sentences


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
