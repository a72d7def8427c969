# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaign documents: read whole, and refused with a sentence and the line."""

from pathlib import Path

import pytest

from tests.tuner.campaign.analytic import campaign_text, write_campaign
from tuner.campaign.prepare import prepare
from tuner.documents.campaign import load_campaign
from tuner.documents.samplers import Grid, Random, Tpe
from tuner.errors import BadInputError


def test_what_is_left_out_has_the_published_defaults(tmp_path: Path) -> None:
    campaign, _ = load_campaign(write_campaign(tmp_path))
    assert (campaign.baseline, campaign.expert, campaign.base, campaign.backend) == ("off", "gran-2010", "gran-2010", "simulated")
    assert campaign.objective_names == ("victim_throughput", "treatment_variation")
    assert campaign.constraints["contributor_total"].at_least == 0.98


def test_objectives_and_constraints_in_all_their_forms(tmp_path: Path) -> None:
    text = campaign_text(extra="hypervolume_reference: {victim_throughput: 0, worst_spread: 9, cvar_0.25_total_throughput: 1}")
    text += (
        "objectives: [victim_throughput, {objective: spread, over: worst}, {objective: total_throughput, over: {cvar: 0.25}}]\n"
    )
    text += "constraints: {victim_throughput: {at_least: 0.99}, settle_time: {at_most: 0.5}, spread: {at_most: 2, of: value}}\n"
    campaign, _ = load_campaign(write_campaign(tmp_path, text))
    assert campaign.objective_names == ("victim_throughput", "worst_spread", "cvar_0.25_total_throughput")
    setup = prepare(*load_campaign(tmp_path / "campaign.yaml"))
    assert [(bound.name, bound.limit, bound.of) for bound in setup.constraints] == [
        ("victim_throughput", 0.99, "expert"),
        ("settle_time", 0.5, "value"),
        ("spread", 2, "value"),
    ]
    assert campaign.model_dump(mode="json")["objectives"][:2] == ["victim_throughput", {"objective": "spread", "over": "worst"}]


@pytest.mark.parametrize(
    ("text", "options"),
    [("random", Random()), ("{kind: grid, levels: 3}", Grid(levels=3)), ("{kind: tpe, seed: 9}", Tpe(seed=9))],
)
def test_the_sampler_by_name_or_with_options(tmp_path: Path, text: str, options: object) -> None:
    assert load_campaign(write_campaign(tmp_path, campaign_text(sampler=text)))[0].sampler == options


@pytest.mark.parametrize(
    ("extra", "line", "sentence"),
    [
        ("budgett: 5", 11, "unknown key 'budgett'; did you mean 'budget'?"),
        ("budget: {trials: 0}", 11, "budget.trials is 0; it must be from 1"),
        ("objectives: [victim_throughput, speed]", 11, "objective 'speed'"),
        ("constraints: {victims: {at_least: 1}}", 11, "constraint 'victims'"),
        ("constraints: {contributor_total: {at_most: 1}}", 11, "'contributor_total' takes at_least, not at_most"),
        ("constraints: {contributor_total: {at_least: 98}}", 11, "requires 98 times the baseline's; write 0.98"),
        ("constraints: {settle_time: {}}", 11, "must have either at_least or at_most"),
        (
            "objectives: [victim_throughput, {objective: spread, over: best}]",
            11,
            "aggregation 'best' is not known; there are cvar",
        ),
        ("objectives: [victim_throughput, {objective: spread, over: {cvar: 2}}]", 11, "cvar is 2; the fraction"),
        ("objectives: [victim_throughput, victim_throughput]", 11, "objectives lists one twice"),
        ("seeds: [1, 1]", 11, "seeds lists one twice: 1, 1"),
        ("seeds: []", 11, "seeds is empty"),
        ("confirmation: {seeds: [5, 2]}", 11, "seed 2 is used in the search"),
        ("hypervolume_reference: {victim_throughput: 0}", 11, "lacks the objective 'treatment_variation'"),
        ("hypervolume_reference: {victim_throughput: 0, treatment_variation: 1, spread: 1}", 11, "'spread' is not one of"),
        ("sampler: {kind: annealing}", 11, "annealing.*tpe"),
        ("sampler: {kind: random, levels: 4}", 11, "unknown key 'levels'"),
        ("space: {ca.ccti_timer: 5}", 11, "every field of the space is fixed"),
        ("space: {ca.ccti_timer: {low: 5, high: 1}}", 11, "goes from 5 to 1"),
    ],
)
def test_a_mistake_is_told_with_its_line(tmp_path: Path, extra: str, line: int, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence) as error:
        load_campaign(write_campaign(tmp_path, campaign_text(extra=extra)))
    shown = (tmp_path / "campaign.yaml").read_text().splitlines()
    assert error.value.line is not None
    assert shown[error.value.line - 1] == extra


@pytest.mark.parametrize(
    ("space", "sentence"),
    [
        ("{ca.ccti_timr: {low: 1, high: 2}}", r"space\.ca\.ccti_timr: .*ccti_timr"),
        ("{switch.threshold: {low: 1, high: 16}}", r"space\.switch\.threshold: .*16"),
        ("{ca.level: {choices: [qp, port]}}", r"space\.ca\.level: .*port"),
    ],
)
def test_a_space_that_makes_no_profile_is_told_with_its_line(tmp_path: Path, space: str, sentence: str) -> None:
    path = write_campaign(tmp_path, campaign_text(space=space))
    with pytest.raises(BadInputError, match=sentence) as error:
        prepare(*load_campaign(path))
    assert error.value.line is not None
    assert path.read_text().splitlines()[error.value.line - 1].startswith("space:")


def test_a_published_profile_outside_the_space_is_refused(tmp_path: Path) -> None:
    path = write_campaign(tmp_path, campaign_text(space="{ca.ccti_timer: {low: 200, high: 300}}"))
    with pytest.raises(BadInputError, match=r"cannot start from 'gran-2010': ca\.ccti_timer is 150"):
        prepare(*load_campaign(path))


def test_values_can_be_replaced_from_outside(tmp_path: Path) -> None:
    changes = {"budget.trials": 9, "space.ca.ccti_timer.high": 200, "sampler": "random", "budget.time_s": 5}
    campaign, _ = load_campaign(write_campaign(tmp_path), changes)
    assert (campaign.budget.trials, campaign.budget.time_s) == (9, 5)
    assert campaign.space["ca.ccti_timer"].high == 200
    assert isinstance(campaign.sampler, Random)
    with pytest.raises(BadInputError, match="leads into"):
        load_campaign(write_campaign(tmp_path), {"parallel.threads": 2})


def test_one_seed_moves_them_all(tmp_path: Path) -> None:
    campaign, _ = load_campaign(write_campaign(tmp_path), seed=7)
    assert (campaign.sampler.seed, campaign.seeds, campaign.confirmation.seeds) == (7, (7, 8), (1007, 1008))


def test_the_packaged_campaigns_can_be_prepared() -> None:
    from tuner.documents import catalogue

    names = catalogue.names("campaign")
    assert "scenario-1" in names
    for name in names:
        setup = prepare(*load_campaign(name))
        assert setup.space.distributions
