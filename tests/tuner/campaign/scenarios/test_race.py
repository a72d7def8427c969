# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A profile is measured first where it most likely fails, and no longer than it may be the best."""

import random
from collections.abc import Mapping

import pytest

from tuner.campaign.evaluation import Evaluation, Plan, Run
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.scenarios.race import Goals, Race
from tuner.campaign.scenarios.served import Judge, lost
from tuner.documents.profile import load_profile
from tuner.documents.workload import load_workload
from tuner.goals.aggregations import WORST
from tuner.goals.constraints import CONSTRAINTS, Bound
from tuner.goals.metrics import Metrics
from tuner.goals.objectives import OBJECTIVES
from tuner.goals.recommendation import IN_ORDER, PINNED, Candidate
from tuner.measuring.configuration import Configuration

NAMES = ("easy", "middle", "hard")
GRAN = Configuration(load_profile("gran-2010"))


def evaluation(shares: Mapping[str, float], *, seeds: tuple[int, ...] = (1,)) -> Evaluation:
    """A profile that leaves victims such a share in each scenario."""
    runs = tuple(
        Run(workload=name, seed=seed, metrics=Metrics(victims_share=share)) for name, share in shares.items() for seed in seeds
    )
    return Evaluation(runs=runs, duration_s=0.0, packet_hops=1)


JUDGE = Judge(
    baseline=evaluation(dict.fromkeys(NAMES, 0.1)),
    expert=evaluation(dict.fromkeys(NAMES, 0.1)),
    constraints=(Bound(constraint=CONSTRAINTS.get("victims_share"), limit=0.95, of="value"),),
)

VICTIMS = OBJECTIVES.get("victims_share").aggregated(WORST)
VARIATION = OBJECTIVES.get("treatment_variation").aggregated(WORST)
GOALS = Goals(rule=IN_ORDER, objectives=(VICTIMS,))


def plan_of(seeds: tuple[int, ...] = (1,)) -> Plan:
    workload = load_workload("scenario-1")
    return Plan(workloads=tuple(workload.model_copy(update={"name": name}) for name in NAMES), seeds=seeds)


def race(*known: Evaluation, seeds: tuple[int, ...] = (1,), goals: Goals = GOALS) -> Race:
    return Race(plan_of(seeds), JUDGE, goals, Forecast({}), known)


def order(plan: Plan) -> list[str]:
    return [workload.name for workload in plan.workloads]


def test_the_scenario_in_which_most_profiles_failed_comes_first() -> None:
    found = race(evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.2}), evaluation({"easy": 1.0, "middle": 0.3, "hard": 0.2}))
    assert order(found.plan(GRAN)) == ["hard", "middle", "easy"]


def test_a_forecast_comes_before_what_others_did(monkeypatch: pytest.MonkeyPatch) -> None:
    found = race(evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.2}))
    monkeypatch.setattr(Forecast, "risk", lambda self, profile, scenario: 1.0 if scenario == "easy" else 0.0)
    assert order(found.plan(GRAN))[0] == "easy"


def test_a_profile_is_measured_until_another_one_serves_more() -> None:
    found = race(evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.2}))
    plan = found.plan(GRAN)
    assert plan.guard is not None
    assert plan.guard.broken(evaluation({"hard": 0.5}), plan) == ""
    sentence = plan.guard.broken(evaluation({"hard": 0.5, "middle": 0.94}), plan)
    assert sentence == (
        "stopped early after 2 of 3 runs: it fails in scenario 'middle' and 1 more, and another profile serves all but 1"
    )


def test_one_seed_decides_only_where_much_is_missing() -> None:
    found = race(evaluation(dict.fromkeys(NAMES, 1.0), seeds=(1, 2)), seeds=(1, 2))
    plan = found.plan(GRAN)
    assert plan.guard is not None
    assert plan.guard.broken(evaluation({"hard": 0.93}), plan) == ""
    assert plan.guard.broken(evaluation({"hard": 0.3}), plan) != ""
    assert plan.guard.broken(evaluation({"hard": 0.93}, seeds=(1, 2)), plan) != ""


def test_a_profile_that_fails_as_often_as_the_best_one_and_is_worse_where_it_fails_is_stopped() -> None:
    found = race(evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.8}))
    plan = found.plan(GRAN)
    assert plan.guard is not None
    sentence = plan.guard.broken(evaluation({"hard": 0.7}), plan)
    assert sentence == (
        "stopped early after 1 of 3 runs: it fails in 1 of the scenarios, as another profile does, and is worse in "
        "worst_victims_share"
    )
    assert plan.guard.broken(evaluation({"hard": 0.81}), plan) == ""
    assert plan.guard.broken(evaluation({"middle": 0.949}), plan) == ""


def test_within_the_tolerance_of_the_rule_a_later_goal_decides() -> None:
    objectives, best = (VICTIMS, VARIATION), {VICTIMS.name: 0.8, VARIATION.name: 0.2}
    for victims, variation, name in (
        (0.79, 0.5, VICTIMS.name),
        (0.795, 0.1, ""),
        (0.795, 0.3, VARIATION.name),
        (0.8, 0.2, ""),
        (0.81, 0.5, ""),
    ):
        assert IN_ORDER.behind({VICTIMS.name: victims, VARIATION.name: variation}, best, objectives) == name


def test_a_tie_is_not_broken_by_some_of_the_seeds() -> None:
    found = race(evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.8}, seeds=(1, 2)), seeds=(1, 2))
    plan = found.plan(GRAN)
    assert plan.guard is not None
    assert plan.guard.broken(evaluation({"hard": 0.7}), plan) == ""
    assert plan.guard.broken(evaluation({"hard": 0.7}, seeds=(1, 2)), plan) != ""


def test_no_tie_is_broken_by_a_rule_that_looks_at_means() -> None:
    found = race(
        evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.8}),
        goals=Goals(rule=IN_ORDER, objectives=(OBJECTIVES.get("victims_share"),)),
    )
    pinned = race(evaluation({"easy": 1.0, "middle": 1.0, "hard": 0.8}), goals=Goals(rule=PINNED, objectives=(VICTIMS,)))
    for plan in (found.plan(GRAN), pinned.plan(GRAN)):
        assert plan.guard is not None
        assert plan.guard.broken(evaluation({"hard": 0.3}), plan) == ""


def test_what_stops_early_still_tells_how_many_it_does_not_serve() -> None:
    """Where nothing is known of a scenario, a profile fails there with a chance of one half."""
    found = race()
    assert found.unserved(evaluation({"hard": 0.5})) == pytest.approx((1 + 0.5 + 0.5) / 3)
    assert found.unserved(evaluation({"hard": 0.5, "middle": 1.0})) == pytest.approx((1 + 0.5) / 3)
    assert found.unserved(evaluation(dict.fromkeys(NAMES, 1.0))) == 0.0
    found.saw(evaluation({"hard": 0.5, "middle": 1.0, "easy": 1.0}))
    assert found.unserved(evaluation({"hard": 0.5})) == pytest.approx((1 + 1 / 3 + 1 / 3) / 3)
    assert found.unserved(evaluation({"easy": 1.0})) == pytest.approx((2 / 3 + 1 / 3) / 3)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_surely_behind_is_ranked_behind_among_any_others(seed: int) -> None:
    """Random profiles in four scenarios with two goals: whoever is behind another one after some of the scenarios is ranked below
    it after all of them, whoever else is compared."""
    chance, objectives, found = random.Random(seed), (VICTIMS, VARIATION), 0
    for _ in range(200):
        shares = [[chance.choice((0.8, 0.805, 0.81, 0.9, 1.0)) for _ in range(4)] for _ in range(6)]
        variations = [[chance.choice((0.1, 0.2, 0.3)) for _ in range(4)] for _ in range(6)]
        whole = [
            {VICTIMS.name: min(share), VARIATION.name: max(variation)}
            for share, variation in zip(shares, variations, strict=True)
        ]
        ranks = [candidate.number for candidate in IN_ORDER.order(map(candidate_of, range(6), whole), objectives)]
        for number in range(1, 6):
            known = chance.randint(1, 4)
            so_far = {VICTIMS.name: min(shares[number][:known]), VARIATION.name: max(variations[number][:known])}
            if IN_ORDER.behind(so_far, whole[0], objectives):
                found += 1
                assert ranks.index(0) < ranks.index(number)
    assert found > 20


def candidate_of(number: int, values: Mapping[str, float]) -> Candidate:
    return Candidate(
        number=number, feasible=True, victim_throughput_gbps=None, treatment_variation_gbps2=None, spread_gbps=None, values=values
    )


@pytest.mark.parametrize("seed", range(5))
def test_no_profile_that_may_be_the_best_is_stopped(seed: int) -> None:
    """Random profiles, one after the other: after each, the best count is that of those measured in full. Who would serve more
    than the best one, or as many and no worse in the worst scenario, has run to the end."""
    chance, found, best = random.Random(seed), race(), (len(NAMES), 0.0)
    for _ in range(60):
        shares = {name: chance.choice((0.3, 0.9, 0.96, 1.0)) for name in NAMES}
        plan = found.plan(GRAN)
        assert sorted(order(plan)) == sorted(NAMES)
        assert plan.guard is not None
        done: dict[str, float] = {}
        for name in order(plan):
            done[name] = shares[name]
            if len(done) < len(NAMES) and plan.guard.broken(evaluation(done), plan):
                break
        fails, worst = sum(share < 0.95 for share in shares.values()), min(shares.values())
        if fails < best[0] or (fails == best[0] and worst >= best[1]):
            assert len(done) == len(NAMES)
            best = fails, worst
        found.saw(evaluation(done))
        assert found.most_lost == best[0]
        assert 0 <= found.unserved(evaluation(done)) <= 1
        assert len(done) == len(NAMES) or found.unserved(evaluation(done)) > 0


def test_what_was_stored_gives_the_same_order_after_a_resume() -> None:
    chance, found, known = random.Random(7), race(), []
    for _ in range(20):
        known.append(evaluation({name: chance.choice((0.3, 1.0)) for name in NAMES[: chance.randint(1, 3)]}))
        found.saw(known[-1])
    again = race(*known)
    assert (order(again.plan(GRAN)), again.most_lost) == (order(found.plan(GRAN)), found.most_lost)


def test_limits_by_the_expert_hold_for_fresh_seeds_too() -> None:
    bound = Bound(constraint=CONSTRAINTS.get("victim_throughput"), limit=0.99, of="expert")
    here = Evaluation(
        runs=(Run(workload="hard", seed=101, metrics=Metrics(victim_throughput_gbps=5.0)),), duration_s=0.0, packet_hops=1
    )
    expert = Evaluation(
        runs=tuple(Run(workload="hard", seed=seed, metrics=Metrics(victim_throughput_gbps=10.0)) for seed in (1, 2)),
        duration_s=0.0,
        packet_hops=1,
    )
    judge = Judge(baseline=expert, expert=expert, constraints=(bound,))
    assert lost(judge.broken(here)) == ["hard"]
