# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The confirmation over scenarios: what it leaves out changes nothing in what it recommends."""

import random
from collections.abc import Mapping, Sequence
from dataclasses import replace

import pytest

from tests.tuner.campaign.scenarios.test_campaign import setup_of
from tuner.campaign.evaluation import Evaluation, Plan, Run
from tuner.campaign.record import TrialRecord
from tuner.campaign.scenarios.confirmation import ScenarioConfirmation
from tuner.campaign.scenarios.served import Judge
from tuner.campaign.setup import Setup
from tuner.goals.metrics import Metrics
from tuner.measuring.configuration import Configuration

TIMERS = (100, 120, 140, 160, 180, 200)
SEARCH_SEED, FRESH = 1, (101, 102, 103)
EXPERT, EXPERTS_SHARE = -1, 0.1
"""The expert's number among the trials, and what he leaves victims everywhere."""

Shares = Mapping[tuple[int, str, int], float]
"""What a trial leaves victims in a scenario under a seed."""


class Measuring:
    """Looks measurements up, and counts the runs."""

    def __init__(self, shares: Shares, numbers: Mapping[str, int]) -> None:
        self._shares = shares
        self._numbers = numbers
        self.runs: list[tuple[int, str, int]] = []

    def __call__(self, configuration: Configuration, plan: Plan) -> Evaluation:
        keys = [(self._numbers[configuration.digest], workload.name, seed) for workload, seed in plan.runs()]
        self.runs += keys
        return evaluation(
            [(name, seed, EXPERTS_SHARE if number == EXPERT else self._shares[number, name, seed]) for number, name, seed in keys]
        )


def evaluation(runs: Sequence[tuple[str, int, float]], contributors: float = 0.98) -> Evaluation:
    return Evaluation(
        runs=tuple(
            Run(
                workload=name,
                seed=seed,
                metrics=Metrics(victims_share=share, contributors_share=contributors, treatment_variation_gbps2=1 - share),
            )
            for name, seed, share in runs
        ),
        duration_s=0.0,
        packet_hops=1,
    )


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    models = "{acks: {model.ca.becn_carrier: ack}, flows: {model.ca.ccti_timer: flow}}"
    made = setup_of(tmp_path_factory.mktemp("confirmation"), scenarios=f"{{models: {models}, contributors: [2, 4]}}")
    front = made.campaign.confirmation.model_copy(update={"seeds": FRESH, "front": 4})
    return replace(made, campaign=made.campaign.model_copy(update={"confirmation": front}))


def confirmation(
    setup: Setup, shares: Shares, contributors: Sequence[float] = (0.98,) * len(TIMERS)
) -> tuple[ScenarioConfirmation, Measuring]:
    """`contributors`: what each trial leaves these in the search."""
    names = [scenario.name for scenario in setup.scenarios]
    values = {"switch.marking_rate": 1, "cct.curve.full_scale_us": 7.0, "cct.curve.exponent": 2.0}
    configurations = {
        number: setup.space.configuration({**values, "ca.ccti_timer": timer}, name=f"trial {number}")
        for number, timer in enumerate(TIMERS)
    }
    records = [
        TrialRecord(
            number=number,
            origin="sampler",
            params={},
            state="complete",
            evaluation=evaluation(
                [(name, SEARCH_SEED, shares[number, name, SEARCH_SEED]) for name in names], contributors[number]
            ),
        )
        for number in configurations
    ]
    yardstick = evaluation([(name, SEARCH_SEED, EXPERTS_SHARE) for name in names])
    judge = Judge(baseline=yardstick, expert=yardstick, constraints=setup.constraints)
    digests = {one.digest: number for number, one in configurations.items()}
    measuring = Measuring(shares, {Configuration(setup.expert).digest: EXPERT, **digests})
    return ScenarioConfirmation(setup, judge, records, configurations, measuring), measuring


def test_what_is_set_aside_changes_no_recommendation(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """Random trials, of which some are worse with fresh seeds than in the search: with and without the first look the same one is
    recommended, with it from fewer runs, and none is made twice."""
    chance, with_look, without, fallbacks = random.Random(5), 0, 0, 0
    for _ in range(60):
        shares = {}
        noise = chance.choice((0.0, 0.02, 0.5))
        for number in range(len(TIMERS)):
            for scenario in setup.scenarios:
                share = chance.choice((0.2, 0.9, 0.96, 0.97, 1.0, 1.0, 1.0))
                for seed in (SEARCH_SEED, *FRESH):
                    other = chance.choice((0.2, 0.9, 1.0))
                    shares[number, scenario.name, seed] = other if chance.random() < noise else share
        looking, looked = confirmation(setup, shares)
        found = looking.recommend()
        whole, everything = confirmation(setup, shares)
        with monkeypatch.context() as patched:
            patched.setattr(ScenarioConfirmation, "_is_behind", lambda self, here, best: False)
            expected = whole.recommend()
        assert (None if found is None else (found.trial, found.evaluation.runs)) == (
            None if expected is None else (expected.trial, expected.evaluation.runs)
        )
        assert len(set(looked.runs)) == len(looked.runs)
        assert set(looked.runs) <= set(everything.runs)
        with_look, without = with_look + len(looked.runs), without + len(everything.runs)
        fallbacks += set(looked.runs) == set(everything.runs)
    assert with_look < 0.9 * without
    assert fallbacks > 0, "the first of the trials falls behind at times"


def test_one_scenario_more_never_leaves_contributors_more(setup: Setup) -> None:
    """Trial 0 is the first by the rule where it serves, and trial 1, which serves all, leaves contributors more there, too."""
    names = [scenario.name for scenario in setup.scenarios]
    shares = {(number, name, SEARCH_SEED): 0.2 for number in range(len(TIMERS)) for name in names}
    shares |= {(1, name, SEARCH_SEED): 0.96 for name in names} | {(0, name, SEARCH_SEED): 1.0 for name in names[:2]}
    found, _ = confirmation(setup, shares, (0.97, 0.99, 0.99, 0.99, 0.99, 0.99))
    prices = found.prices(names[::-1])
    assert [(price.trial, price.worst["worst_contributors_share"]) for price in prices] == [(1, 0.99)] * len(names)


def test_trials_that_serve_nothing_with_fresh_seeds_leave_nothing_to_recommend(setup: Setup) -> None:
    shares = {
        (number, scenario.name, seed): 1.0 if seed == SEARCH_SEED else 0.2
        for number in range(len(TIMERS))
        for scenario in setup.scenarios
        for seed in (SEARCH_SEED, *FRESH)
    }
    assert confirmation(setup, shares)[0].recommend() is None


def test_a_trial_with_much_to_lose_is_looked_at_where_it_lost_first(setup: Setup) -> None:
    """Trial 1 fails in one scenario in the search, and by far with a fresh seed: two runs would do, and one does."""
    names = [scenario.name for scenario in setup.scenarios]
    shares = {(number, name, seed): 0.2 for number in range(len(TIMERS)) for name in names for seed in (SEARCH_SEED, *FRESH)}
    for name in names:
        for seed in (SEARCH_SEED, *FRESH):
            shares[0, name, seed] = 1.0
            shares[1, name, seed] = 0.2 if name == names[-1] else 1.0
    found, measuring = confirmation(setup, shares)
    best = found.recommend()
    assert best is not None
    assert best.trial == 0
    assert [run for run in measuring.runs if run[0] == 1] == [(1, names[-1], FRESH[0])]


def chosen_of(setup: Setup, by_trial: Sequence[Mapping[int, float]]) -> tuple[int | None, int | None, int | None]:
    """Returns the numbers of the trial that is recommended, of the one beside it that is best in its worst scenario, and of the
    one that serves more. `by_trial`: what each of the first trials leaves victims, by the number of the scenario, where that is
    not 1; the other trials leave nothing."""
    shares = {
        (number, scenario.name, seed): by_trial[number].get(place, 1.0) if number < len(by_trial) else 0.0
        for number in range(len(TIMERS))
        for place, scenario in enumerate(setup.scenarios)
        for seed in (SEARCH_SEED, *FRESH)
    }
    found, _ = confirmation(setup, shares)
    recommended = found.recommend()
    assert recommended is not None
    gentlest, most = found.gentlest(recommended), found.most(recommended)
    return recommended.trial, None if gentlest is None else gentlest.trial, None if most is None else most.trial


@pytest.mark.parametrize(
    ("by_trial", "expected"),
    [
        ([{5: 0.087}, {0: 0.94, 1: 0.93}, {0: 0.8, 1: 0.94}], (1, None, 0)),  # what is missed by far counts twice
        ([{5: 0.087}, {0: 0.94, 1: 0.94, 2: 0.94}], (0, 1, None)),  # three are one too many
        ([{4: 0.087, 5: 0.087}, {0: 0.94, 1: 0.94, 2: 0.94, 3: 0.94}], (1, None, 0)),
        ([{5: 0.80}, {0: 0.94, 1: 0.94}], (0, None, None)),  # 80 % is not 95 %, and nobody is lost
        ([{5: 0.087}, {0: 0.94, 1: 0.5}], (0, None, None)),  # whoever serves fewer loses somebody too
        ([{5: 0.087}, dict.fromkeys(range(6), 0.94)], (0, None, None)),  # what serves nothing is none to recommend
        ([{}, {0: 0.94}], (0, None, None)),
    ],
)
def test_a_recommendation_gives_up_some_scenarios_to_miss_none_by_far(
    setup: Setup, by_trial: Sequence[Mapping[int, float]], expected: tuple[int, int | None, int | None]
) -> None:
    assert chosen_of(setup, by_trial) == expected


def test_random_trials_give_up_scenarios_only_to_miss_none_by_far(setup: Setup, monkeypatch: pytest.MonkeyPatch) -> None:
    """Against the count of scenarios alone: what misses none by far stays, and what takes the place of another misses none so and
    no more than that with its worst ones counted twice."""
    chance, replaced = random.Random(44), 0
    names = [scenario.name for scenario in setup.scenarios]
    for _ in range(80):
        rows = {
            (number, name): chance.choice((0.1, 0.94, 0.94, 1.0, 1.0, 1.0)) for number in range(len(TIMERS)) for name in names
        }
        shares = {(*key, seed): share for key, share in rows.items() for seed in (SEARCH_SEED, *FRESH)}
        choosing, measuring = confirmation(setup, shares)
        found = choosing.recommend()
        with monkeypatch.context() as patched:
            patched.setattr(ScenarioConfirmation, "_spared", lambda self, best: best)
            by_count = confirmation(setup, shares)[0].recommend()
        assert len(set(measuring.runs)) == len(measuring.runs), "nothing is measured twice"
        if found is None or by_count is None:
            assert found is by_count
            continue
        missed = choosing.missed_by_far(by_count)
        beside = choosing.most(found)
        if found.trial == by_count.trial:
            assert beside is None
            continue
        replaced += 1
        assert missed
        assert not choosing.missed_by_far(found)
        assert choosing.count(found) <= choosing.count(by_count) + len(missed)
        assert beside is None or beside.trial == by_count.trial
    assert replaced > 10


def test_one_that_misses_by_far_with_further_seeds_takes_no_place(setup: Setup) -> None:
    """Trial 1 looks gentle in the search and with the first fresh seed."""
    names = [scenario.name for scenario in setup.scenarios]
    shares = {(number, name, seed): 0.0 for number in range(len(TIMERS)) for name in names for seed in (SEARCH_SEED, *FRESH)}
    for name in names:
        for seed in (SEARCH_SEED, *FRESH):
            shares[0, name, seed] = 0.087 if name == names[5] else 1.0
            shares[1, name, seed] = 0.94 if name in names[:2] else 1.0
    for seed in FRESH[1:]:
        shares[1, names[0], seed] = 0.1
    best = confirmation(setup, shares)[0].recommend()
    assert best is not None
    assert best.trial == 0


def test_runs_of_parts_stand_in_the_order_of_the_scenarios(setup: Setup) -> None:
    shares = {
        (number, scenario.name, seed): 0.9 if number == 1 and scenario == setup.scenarios[-1] else 1.0
        for number in range(len(TIMERS))
        for scenario in setup.scenarios
        for seed in (SEARCH_SEED, *FRESH)
    }
    found, _ = confirmation(setup, shares)
    found.recommend()
    for measured in found.best_by_model().values():
        assert list(measured.broken) == [scenario.name for scenario in setup.scenarios]


def test_the_best_for_a_model_is_none_that_serves_less_there_than_what_is_recommended(setup: Setup) -> None:
    """Trial 1 is first for the second model in the search, and with fresh seeds it fails in one of its scenarios."""
    second = [scenario.name for scenario in setup.scenarios if scenario.point.model == "acks"]
    shares = {
        (number, scenario.name, seed): 0.97 if number == 0 else 0.2
        for number in range(len(TIMERS))
        for scenario in setup.scenarios
        for seed in (SEARCH_SEED, *FRESH)
    }
    for name in second:
        for seed in (SEARCH_SEED, *FRESH):
            shares[1, name, seed] = 0.9 if seed != SEARCH_SEED and name == second[0] else 1.0
    found, _ = confirmation(setup, shares)
    recommended = found.recommend()
    assert recommended is not None
    assert (recommended.trial, {best.trial for best in found.best_by_model().values()}) == (0, {0})


def test_random_bests_for_models_serve_no_fewer_than_what_was_measured(setup: Setup) -> None:
    chance, seeds = random.Random(9), (SEARCH_SEED, *FRESH)
    names = [scenario.name for scenario in setup.scenarios]
    for _ in range(60):
        shares = {
            (number, name, seed): chance.choice((0.2, 0.94, 1.0, 1.0)) for number in range(6) for name in names for seed in seeds
        }
        found, measuring = confirmation(setup, shares)
        recommended = found.recommend()
        for model, best in found.best_by_model().items():
            there = [scenario.name for scenario in setup.scenarios if scenario.point.model == model]
            least = [] if recommended is None else [found.count(found.where(recommended, there), there)]
            assert found.count(best, there) <= min([*least, found.count(found.expert(), there)])
        assert len(set(measuring.runs)) == len(measuring.runs), "nothing is measured twice"
