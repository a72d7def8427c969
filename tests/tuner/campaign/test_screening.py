# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A cheap measurement comes first, and only what looks good there is measured in full."""

from collections.abc import Callable
from pathlib import Path

import optuna
import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tests.tuner.campaign.evaluations import evaluation
from tests.tuner.campaign.optuna_tables import tables_in
from tuner.campaign.evaluation import Evaluation
from tuner.campaign.record import SAMPLED, TrialRecord
from tuner.campaign.result import CampaignResult
from tuner.campaign.screening import Screener
from tuner.campaign.setup import Setup
from tuner.errors import InterruptedRunError

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]

SCREENED = "screening: {time_scale: 0.5, seeds: [11]}"
BASELINE = evaluation(a=[{"contributor_total_gbps": 10.0}])


def screening(victim: float, variation: float, total: float = 10.0) -> Evaluation:
    return evaluation(
        a=[{"victim_throughput_gbps": victim, "treatment_variation_gbps2": variation, "contributor_total_gbps": total}]
    )


@pytest.fixture
def screener(load: Load) -> Screener:
    setup = load(extra="screening: {keep: 0.5, tolerance: 0.02}")
    assert setup.screening is not None
    return Screener(setup, setup.screening, baseline=BASELINE, expert=BASELINE)


def test_the_better_half_goes_on(screener: Screener) -> None:
    assert screener.verdict(screening(10, 5), origin=SAMPLED).reason == ""  # the first: nothing to compare with
    assert screener.verdict(screening(11, 4), origin=SAMPLED).reason == ""  # better than that
    assert screener.verdict(screening(12, 9), origin=SAMPLED).reason == ""  # the second's equal: neither dominates the other
    refused = screener.verdict(screening(5, 8), origin=SAMPLED)
    assert refused.reason == "screened out: 3 of 4 screenings so far are better; 0.5 of them are kept"
    assert refused.values == {"victim_throughput": 5, "treatment_variation": 8}
    assert refused.violations == {}


def test_a_published_profile_is_never_refused(screener: Screener) -> None:
    screener.verdict(screening(12, 1), origin=SAMPLED)
    assert screener.verdict(screening(1, 19, total=1.0), origin="gran-2010").reason == ""


def test_a_constraint_that_is_surely_broken_ends_it_and_a_near_miss_does_not(screener: Screener) -> None:
    assert screener.verdict(screening(10, 5, total=9.7), origin=SAMPLED).reason == ""  # 1 % short of 98 %
    refused = screener.verdict(screening(13, 0, total=9.5), origin=SAMPLED)
    assert refused.reason == "screened out: contributor_total is surely broken, by 3 % in the screening"
    assert refused.violations["contributor_total"] == pytest.approx(0.03)
    # It stands behind all others: with it in the pool more of them belong to the better half.
    assert screener.verdict(screening(9, 6), origin=SAMPLED).reason == ""


@pytest.mark.long
def test_only_survivors_are_measured_in_full(tmp_path: Path, load: Load, run: Run) -> None:
    log = tmp_path / "log"
    result = run(load(trials=24, extra=SCREENED), backend=lambda: AnalyticBackend(log))
    states = {state: [trial for trial in result.trials if trial.state == state] for state in ("screened", "complete")}
    assert len(states["screened"]) + len(states["complete"]) == 24
    assert states["screened"]
    lines = [line.split()[:2] for line in log.read_text().splitlines()]
    for trial in result.trials:
        if trial.reused:
            continue
        searched = [seed for name, seed in lines if name == f"small-{trial.number}" and seed in ("11", "1", "2")]
        assert searched == (["11"] if trial.state == "screened" else ["11", "1", "2"])
        assert trial.screening is not None
    for trial in states["screened"]:
        assert trial.reason.startswith("screened out: ")
        assert not trial.feasible
        assert trial.evaluation is None
    assert result.trials[0].origin == "gran-2010"
    assert result.trials[0].state == "complete"
    assert result.summary["screened"] == len(states["screened"])
    assert {tried.record.state for tried in result.front} == {"complete"}


@pytest.mark.long
def test_the_sampler_is_told_no_values_of_what_was_screened_out(tmp_path: Path, load: Load, run: Run) -> None:
    result = run(load(trials=24, extra=SCREENED))
    with tables_in(tmp_path / "c.sqlite3") as tables:
        trials = optuna.load_study(study_name="small", storage=tables).trials
    told = {trial.user_attrs["record"]["number"]: trial for trial in trials}
    for trial in result.trials:
        if trial.state == "screened":
            assert told[trial.number].state == optuna.trial.TrialState.PRUNED
            assert told[trial.number].values is None
        else:
            assert told[trial.number].state == optuna.trial.TrialState.COMPLETE


@pytest.mark.long
def test_an_interrupted_campaign_goes_on_with_what_it_has_screened(load: Load, run: Run) -> None:
    setup = load(trials=16, extra=SCREENED)
    whole = run(setup, file="whole.sqlite3")
    seen: list[TrialRecord] = []

    class Watcher:
        def phase(self, phase: object, progress: object) -> None: ...

        def trial(self, record: TrialRecord, progress: object) -> None:
            seen.append(record)

        def measured(self, name: str, runs: object) -> None: ...

    with pytest.raises(InterruptedRunError):
        run(setup, file="cut.sqlite3", listener=Watcher(), should_stop=lambda: len(seen) >= 7)
    resumed = run(setup, file="cut.sqlite3")
    assert [(t.number, t.params, t.state, t.reason) for t in resumed.trials] == [
        (t.number, t.params, t.state, t.reason) for t in whole.trials
    ]
