# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The front of a search is confirmed with fresh seeds, on the search's backend or another, before anything is recommended."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.campaign.analytic import AnalyticBackend
from tuner.campaign.result import CampaignResult
from tuner.campaign.setup import Setup
from tuner.errors import BadInputError
from tuner.goals.pareto import front
from tuner.goals.recommendation import PINNED

pytestmark = pytest.mark.long

Load = Callable[..., Setup]
Run = Callable[..., CampaignResult]


def test_the_front_is_confirmed_with_intervals_in_pairs(load: Load, run: Run) -> None:
    result = run(load(trials=25, extra="confirmation: {seeds: [101, 102, 103], front: 4}"))
    feasible = [trial for trial in result.trials if trial.feasible]
    losses = [(-trial.values["victim_throughput"], trial.values["treatment_variation"]) for trial in feasible]
    points = {feasible[i].number for i in front(losses)}
    assert len(result.front) >= 4
    assert all(tried.record.origin == "gran-2010" for tried in result.front[4:])  # the expert's own settings come on top
    assert all(tried.record.number in points for tried in result.front[1:4])
    for one in (result.baseline, result.expert, *(tried.confirmed for tried in result.front)):
        assert one.evaluation.seeds == (101, 102, 103)
        estimate = one.metrics["victim_throughput_gbps"]
        interval = estimate.interval()
        assert interval is not None
        assert interval[0] <= estimate.value <= interval[1]
        assert estimate.value == one.evaluation.metrics.victim_throughput_gbps
    for tried in result.front:
        # The noise of the formula comes from the seed alone, so in pairs nothing is left of it.
        difference = tried.confirmed.against_expert["victim_throughput_gbps"]
        assert difference.standard_error == pytest.approx(0, abs=1e-9)
        assert tried.confirmed.metrics["victim_throughput_gbps"].standard_error != pytest.approx(0, abs=1e-9)
        off = result.baseline.evaluation.metrics.contributor_total_gbps
        own = tried.confirmed.evaluation.metrics.contributor_total_gbps
        assert off is not None
        assert own is not None
        assert tried.confirmed.against_baseline["contributor_total_gbps"].value == pytest.approx(own - off)
    assert result.baseline.against_baseline["contributor_total_gbps"].value == 0


class LuckyWithSeedOne(AnalyticBackend):
    """Under the search's seeds profiles with a CCTI_Timer above 300 seem perfectly steady; they are not."""

    def _series(self, workload, seed):  # type: ignore[no-untyped-def]
        rows = super()._series(workload, seed)
        assert self._profile is not None
        settings = self._profile.to_dict()
        if seed < 100 and settings["enable"] and settings["ca"]["ccti_timer"] > 300:
            rows[1:] = rows[1:].mean(axis=0)
        return rows


def test_the_recommendation_is_made_from_confirmed_figures(load: Load, run: Run) -> None:
    result = run(load(trials=25), backend=LuckyWithSeedOne)
    lucky = PINNED.pick(trial.candidate for trial in result.trials if trial.feasible)
    assert lucky is not None
    assert result.front[0].record.number == lucky.number
    assert float(result.front[0].record.params["ca.ccti_timer"]) > 300
    assert result.recommended is not None
    assert result.recommended.record.number != lucky.number
    assert float(result.recommended.record.params["ca.ccti_timer"]) <= 300
    assert result.picked_by_rule == result.recommended.record.number


def test_a_person_may_choose_another_trial(load: Load, run: Run) -> None:
    space = "{ca.ccti_timer: {low: 10, high: 400}, switch.marking_rate: {low: 0, high: 3}}"
    first = run(load(trials=25, space=space))
    other = next(trial.number for trial in first.trials if trial.feasible and trial.number != first.picked_by_rule)
    chosen = run(load(trials=25, space=space, extra=f"recommend: {{trial: {other}}}"))
    assert chosen.trials == first.trials
    assert chosen.recommended is not None
    assert chosen.recommended.record.number == other
    assert chosen.front[0].record.number == other
    assert chosen.picked_by_rule is not None
    broken = next(trial.number for trial in first.trials if not trial.feasible)
    with pytest.raises(BadInputError, match=f"trial {broken} cannot be recommended: it breaks contributor_total"):
        run(load(trials=25, space=space, extra=f"recommend: {{trial: {broken}}}"))


class WorseWithFreshSeeds(AnalyticBackend):
    def _series(self, workload, seed):  # type: ignore[no-untyped-def]
        rows = super()._series(workload, seed)
        if seed > 100 and self._profile is not None and self._profile.name.startswith("small-"):
            rows[1:] *= 0.9
        return rows


def test_a_persons_choice_that_breaks_a_constraint_is_not_recommended(load: Load, run: Run) -> None:
    result = run(load(trials=8, extra="recommend: {trial: 0}"), backend=WorseWithFreshSeeds)
    assert result.recommended is None
    assert result.rejected[0].record.number == 0


def test_a_trial_beyond_the_budget_is_refused_at_once(load: Load) -> None:
    with pytest.raises(BadInputError, match=r"recommend\.trial is 6; trials 0 to 5 are in the budget"):
        load(trials=6, extra="recommend: {trial: 6}")


def test_without_victims_the_knee_is_recommended(load: Load, run: Run) -> None:
    goals = "objectives: [contributor_total, treatment_variation]"
    reference = "hypervolume_reference: {contributor_total: 0, treatment_variation: 20}"
    text: Any = {"trials": 20, "extra": goals}
    with pytest.raises(BadInputError, match="hypervolume_reference"):
        load(**text)
    setup = load(trials=20, extra=f"{reference}\n{goals}")
    assert setup.rule.name == "knee"
    result = run(setup)
    assert result.recommended is not None
    chosen = setup.rule.pick((tried.confirmed.candidate(tried.record.number) for tried in result.front), setup.objectives)
    assert chosen is not None
    assert result.recommended.record.number == chosen.number
    assert load(trials=20, extra=f"{reference}\n{goals}\nrecommend: {{rule: pinned}}").rule.name == "pinned"


def test_an_unknown_rule_is_told_with_the_known_ones(load: Load) -> None:
    with pytest.raises(BadInputError, match="rule of recommendation 'best' is not known; there are in-order, knee, pinned"):
        load(extra="recommend: {rule: best}")


def seeds_in(log: Path) -> set[str]:
    """Returns the seeds of the measurements in the log, whose lines have profile, seed and process."""
    return {line.split()[1] for line in log.read_text().splitlines() if len(line.split()) == 3}


ELSEWHERE = "confirm_on: {backend: cluster, workloads: [./other.yaml]}"


def test_the_confirmation_may_take_place_on_another_backend(tmp_path: Path, load: Load, run: Run) -> None:
    load()
    (tmp_path / "other.yaml").write_text((tmp_path / "small.yaml").read_text().replace("name: small", "name: other"))
    setup = load(trials=8, extra=ELSEWHERE)
    assert [workload.name for workload in setup.confirmation.workloads] == ["other"]
    here, there, opened = tmp_path / "here", tmp_path / "there", []

    def open_other(name: str, settings: Mapping[str, Any]) -> AnalyticBackend:
        opened.append((name, dict(settings)))
        return AnalyticBackend(there, deterministic=False, concurrent=False)

    result = run(setup, backend=lambda: AnalyticBackend(here), open_other=open_other)
    assert opened == [("cluster", {})] * 2  # once before the search, to see that it is available
    assert seeds_in(here) == {"1", "2"}
    assert seeds_in(there) == {"101", "102"}
    # It is not deterministic, so each profile was measured in turns with the baseline.
    assert result.recommended is not None
    assert len(result.recommended.confirmed.evaluation.paired) == 2
    assert result.recommended.confirmed.evaluation.workloads == ("other",)


def test_a_backend_that_cannot_be_had_is_told_before_the_search(tmp_path: Path, load: Load, run: Run) -> None:
    def open_other(name: str, settings: Mapping[str, Any]) -> AnalyticBackend:
        raise BadInputError(f"backend '{name}' is not known")

    log = tmp_path / "log"
    with pytest.raises(BadInputError, match="'cloud' is not known"):
        run(load(extra="confirm_on: {backend: cloud}"), backend=lambda: AnalyticBackend(log), open_other=open_other)
    assert not log.exists()


def test_another_confirmation_of_the_same_search_needs_no_new_search(tmp_path: Path, load: Load, run: Run) -> None:
    first = run(load(trials=10))
    log = tmp_path / "log"
    again = run(load(trials=10, extra="confirmation: {seeds: [201, 202, 203]}"), backend=lambda: AnalyticBackend(log))
    assert again.trials == first.trials
    assert seeds_in(log) == {"201", "202", "203"}
