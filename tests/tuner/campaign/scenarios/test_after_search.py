# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""What a search on the campaign's own devices found, in scenarios: the choice among random trials, and what it costs."""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import pytest

from tests.tuner.campaign.scenarios.test_campaign import setup_of
from tests.tuner.campaign.scenarios.test_confirmation import Measuring, evaluation
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import Tried
from tuner.campaign.scenarios.after_search import AfterSearch
from tuner.campaign.scenarios.confirmation import ScenarioConfirmation
from tuner.campaign.scenarios.forecast import Forecast
from tuner.campaign.scenarios.served import Judge, implied_by
from tuner.campaign.setup import Setup
from tuner.documents.campaign import Campaign
from tuner.measuring.configuration import Configuration

FRESH = (101, 102, 103)
VARIANTS = {"acks": {"model.ca.becn_carrier": "ack"}, "flows": {"model.ca.ccti_timer": "flow"}}
EXPERT = 3
"""Number of the trial with the expert's settings."""
SHARES = (0.2, 0.8, 0.93, 0.96, 0.99)


@dataclass
class Confirmed:
    """What the choice looks at of a confirmed trial."""

    configuration: Configuration


@pytest.fixture(scope="module")
def setup(tmp_path_factory: pytest.TempPathFactory) -> Setup:
    made = setup_of(tmp_path_factory.mktemp("after"))
    confirmation = made.campaign.confirmation.model_copy(update={"seeds": FRESH, "front": 4, "attempts": 3})
    changes = {"confirmation": confirmation, "scenarios": None, "variants": VARIANTS}
    campaign: Campaign = made.campaign.model_copy(update=changes)
    return replace(made, campaign=campaign)


class World:
    """Six trials with shares of victims by trial, scenario and seed; four are confirmed, and two are further ones."""

    def __init__(self, setup: Setup, shares: Mapping[tuple[int, str, int], float]) -> None:
        self.shares, self.setup = shares, setup
        self.names = [scenario.name for scenario in setup.scenarios]
        values = {"switch.marking_rate": 1, "cct.curve.full_scale_us": 7.0, "cct.curve.exponent": 2.0}
        expert = Configuration(setup.expert)
        self.configurations = {
            number: expert
            if number == EXPERT
            else setup.space.configuration({**values, "ca.ccti_timer": 200 + number}, name=f"trial {number}")
            for number in range(6)
        }
        yardstick = evaluation([(name, FRESH[0], 0.1) for name in self.names])
        judge = Judge(baseline=yardstick, expert=yardstick, constraints=(), implied=implied_by(()))
        self.measuring = Measuring(shares, {one.digest: number for number, one in self.configurations.items()})
        confirmation = ScenarioConfirmation(setup, judge, [], {}, self.measuring)
        self.after = AfterSearch(setup, confirmation, Forecast({}))

    def tried(self, number: int) -> Tried:
        record = TrialRecord(number=number, origin="sampler", params={}, state="complete")
        confirmed: Any = Confirmed(self.configurations[number])
        return Tried(record=record, confirmed=confirmed)

    def choose(self, front: Sequence[int], further: Sequence[int], unsound: int | None = None) -> int:
        """`unsound`: a further trial that breaks a constraint on the campaign's own devices."""

        def more() -> Iterator[tuple[TrialRecord, Configuration]]:
            for number in further:
                yield self.tried(number).record, self.configurations[number]

        chosen = self.after.choose(
            [self.tried(number) for number in front],
            more(),
            lambda number: None if number == unsound else self.tried(number),
        )
        assert chosen is not None
        return chosen.record.number

    def lost(self, number: int) -> int:
        means = [sum(self.shares[number, name, seed] for seed in FRESH) / len(FRESH) for name in self.names]
        return sum(mean < 0.95 for mean in means)


def test_nothing_is_chosen_that_serves_fewer_scenarios(setup: Setup) -> None:
    """Random trials whose shares do not depend on the seed, against all of them measured everywhere."""
    chance, saved, from_further = random.Random(11), 0, 0
    for number in range(150):
        rows = {(trial, scenario.name): chance.choice(SHARES) for trial in range(6) for scenario in setup.scenarios}
        world = World(setup, {(*key, seed): share for key, share in rows.items() for seed in FRESH})
        front, unsound = chance.sample(range(4), 4), (5 if number % 2 else None)
        chosen = world.choose(front, [4, 5], unsound)
        assert chosen != unsound
        assert world.lost(chosen) <= min(world.lost(trial) for trial in front)
        ahead = front[: front.index(EXPERT)]
        sound = [trial for trial in ahead if world.lost(trial) == 0]
        if sound:
            assert chosen == sound[0], "the first that serves all in the order of the rule"
        elif world.lost(chosen) == 0 and chosen in front:
            assert all(world.lost(trial) > 0 for trial in (4, 5) if trial != unsound), "a further one comes before the expert"
        assert len(world.measuring.runs) == len(set(world.measuring.runs)), "nothing is measured twice"
        everything = 6 * len(setup.scenarios) * len(FRESH)
        saved += everything - len(world.measuring.runs)
        from_further += chosen in (4, 5)
    assert saved > 150 * 0.4 * everything, "most of what loses is left early"
    assert from_further > 3


def test_what_serves_all_under_one_seed_alone_is_looked_at_again(setup: Setup) -> None:
    """Trial 0 is lucky with the first fresh seed."""
    names = [scenario.name for scenario in setup.scenarios]
    shares = {(trial, name, seed): 0.99 for trial in range(6) for name in names for seed in FRESH}
    shares |= {(0, "acks", seed): 0.5 for seed in FRESH[1:]}
    world = World(setup, shares)
    assert world.choose([0, 1, EXPERT], [4]) == 1
    assert (4, "own devices", FRESH[0]) not in world.measuring.runs, "nothing further is tried once one serves all"


def test_of_two_that_serve_none_the_one_that_leaves_victims_more_is_chosen(setup: Setup) -> None:
    names = [scenario.name for scenario in setup.scenarios]
    left = {0: 0.2, 1: 0.9, 2: 0.9, EXPERT: 0.5}
    world = World(setup, {(trial, name, seed): share for trial, share in left.items() for name in names for seed in FRESH})
    assert world.choose([0, 1, 2, EXPERT], []) == 1, "the rule ranks it above its equal"


@pytest.mark.parametrize(("on_acknowledgements", "beside"), [(0.2, "trial 1"), (0.9, None)])
def test_beside_one_that_loses_victims_stands_one_that_loses_none(
    setup: Setup, monkeypatch: pytest.MonkeyPatch, on_acknowledgements: float, beside: str | None
) -> None:
    """Trial 0 serves two of three scenarios; trial 1 serves one, and is not far from the others."""
    monkeypatch.setattr(AfterSearch, "_suggestions", lambda self, model, settings: [])
    left = {
        (0, "acks"): on_acknowledgements,
        (1, "acks"): 0.94,
        (1, "flows"): 0.94,
        (EXPERT, "acks"): 0.1,
        (EXPERT, "flows"): 0.9,
    }
    names = [scenario.name for scenario in setup.scenarios]
    shares = {(trial, name, seed): left.get((trial, name), 0.99) for trial in (0, 1, EXPERT) for name in names for seed in FRESH}
    world = World(setup, shares)
    assert world.choose([0, 1, EXPERT], []) == 0
    gentlest = world.after.findings(world.tried(0), None).gentlest
    assert (None if gentlest is None else gentlest.origin) == beside


def test_a_forecast_rules_out_what_does_nothing(setup: Setup) -> None:
    """With BECNs on acknowledgements of 32 packets each, only a CCTI_Timer of the expert's order has a balance of 1."""
    forecast = Forecast.of(setup.scenarios, setup.built, setup.backend_settings)
    after = AfterSearch(setup, World(setup, {}).after._confirmation, forecast)

    def may_hold(timer: int) -> bool:
        values = {"switch.marking_rate": 1, "ca.ccti_timer": timer, "cct.curve.full_scale_us": 60.0, "cct.curve.exponent": 2.0}
        return after._may_hold(setup.space.configuration(values, name="some"))

    assert not may_hold(20)
    assert may_hold(700)
    assert after._may_hold(Configuration(setup.expert))
    assert not after._may_hold(Configuration(setup.baseline))


def test_shares_are_asked_for_where_no_constraint_is_on_these_flows(setup: Setup) -> None:
    assert [bound.name for bound in implied_by(())] == ["victims_share", "contributors_share"]
    assert implied_by(setup.constraints) == ()
