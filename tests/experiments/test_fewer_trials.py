# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fifteen trials with help against sixty without: how the two are compared, and one pair of short searches."""

from dataclasses import replace
from pathlib import Path

import pytest

from experiments.fewer_trials.cases import HERE, HOME, LIKE, Case, cases
from experiments.fewer_trials.experiment import EXPERIMENT
from experiments.fewer_trials.outcome import Outcome, beaten_after, outcome
from experiments.fewer_trials.searches import earlier, long, short
from experiments.registry import Options
from tuner.campaign.first_trials.warm_start import unlike
from tuner.documents.campaign import load_campaign
from tuner.documents.fabric import load_fabric
from tuner.documents.workload import load_workload
from tuner.fabric.built_fabric import build
from tuner.suggest.ground import Ground, ground_of


def ground(workload: str) -> Ground | None:
    read = load_workload(workload)
    return ground_of([(build(load_fabric(read.fabric)), read)], {})


@pytest.mark.parametrize("campaign", LIKE)
def test_the_earlier_campaigns_fabrics_are_like_and_not_the_same(campaign: str) -> None:
    (own,) = load_campaign(campaign)[0].workloads
    here = ground(own)
    assert here is not None
    for like in LIKE[campaign]:
        there = ground(str(HERE / f"{like.workload}.yaml"))
        assert there is not None
        assert not unlike(there, here)
        assert there.contributors != here.contributors


def test_every_variant_is_a_case_of_its_own() -> None:
    devices = [HOME, "becns-on-acknowledgements", "one-timer-a-flow"]
    assert cases(["scenario-1", "fairness"]) == [Case(name, one) for name in ("scenario-1", "fairness") for one in devices]
    assert Case("scenario-1", "becns-on-acknowledgements").devices == {"ca.becn_carrier": "ack"}


def test_parts_are_of_what_all_trials_without_help_reach() -> None:
    one = Outcome(case=Case("fairness", HOME), seed=1, long=[0.0, 1.0, 2.0], short=[1.5, 1.9], beaten_after=2)
    assert [one.part(trials) for trials in (1, 2, 15)] == [0.75, 0.95, 0.95]


@pytest.mark.slow
def test_a_pair_of_searches(tmp_path: Path) -> None:
    case = Case("tail-latency", HOME)
    warm = earlier(case, tmp_path, trials=5)
    without, with_help = long(case, tmp_path, 10, trials=4), short(case, tmp_path, 10, trials=6, warm=warm)
    assert [trial.origin for trial in without.trials] == ["gran-2010", *["sampler"] * 3]
    assert [trial.origin for trial in with_help.trials][:2] == ["suggestion", "suggestion, fine steps"]
    assert sum(", latency-" in trial.origin for trial in with_help.trials) == 3
    found = outcome(case, 10, long=without, short=with_help)
    assert len(found.long) == 4
    assert list(found.short) == sorted(found.short)
    assert with_help.expert_search.metrics == without.expert_search.metrics
    assert found.beaten_after is None or found.beaten_after > 1
    broken = replace(without, trials=tuple(replace(trial, state="failed") for trial in without.trials))
    assert beaten_after(broken) is None


@pytest.mark.slow
def test_a_quick_look_runs() -> None:
    findings = EXPERIMENT.run(Options(quick=True, workers=1))
    assert len(findings.data["outcomes"]) == 7
    assert all(one["short"][-1] > 0 for one in findings.data["outcomes"])
