# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every sampler obeys the same contract; the registry brings new ones in."""

from itertools import pairwise
from typing import Any

import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution
from optuna.trial import create_trial
from pydantic import TypeAdapter

from tuner.documents.samplers import AnySampler, Grid, SamplerOptions
from tuner.search.samplers.base import SAMPLERS, Prior, sampler_of
from tuner.search.samplers.proposers.point import even_point, levels_of, place_of, value_at
from tuner.search.samplers.proposers.steps import StepSampler

DISTRIBUTIONS: dict[str, BaseDistribution] = {
    "a": IntDistribution(1, 100, log=True),
    "b": FloatDistribution(0.0, 1.0),
    "c": CategoricalDistribution(["x", "y"]),
}


def propose(kind: str, n_trials: int, seed: int = 1) -> list[dict[str, Any]]:
    """Values of a short search for a large `a` and a small `b`."""
    study = optuna.create_study(directions=["maximize", "minimize"])
    options: SamplerOptions = TypeAdapter(AnySampler).validate_python({"kind": kind, "seed": seed})
    for ordinal in range(n_trials):
        study.sampler = sampler_of(options, DISTRIBUTIONS, ordinal)
        trial = study.ask(DISTRIBUTIONS)
        trial.set_constraint("c", -1.0 if trial.params["c"] == "x" else 0.5)
        study.tell(trial, [trial.params["a"], trial.params["b"]])
    return [trial.params for trial in study.trials]


@pytest.mark.parametrize("kind", SAMPLERS.names())
def test_it_proposes_what_the_space_holds_and_the_same_for_a_seed(kind: str) -> None:
    params = propose(kind, 30)
    for one in params:
        assert 1 <= one["a"] <= 100
        assert 0 <= one["b"] <= 1
        assert one["c"] in ("x", "y")
    assert len({tuple(one.values()) for one in params}) > 15
    assert propose(kind, 30) == params
    assert propose(kind, 30, seed=2) != params


@pytest.mark.parametrize("kind", ["tpe", "nsga2"])
def test_those_that_learn_end_better_than_they_began(kind: str) -> None:
    params = propose(kind, 80)
    early, late = params[:15], params[-30:]

    def mean(rows: list[dict[str, Any]]) -> float:
        return float(sum(row["a"] / 100 - row["b"] for row in rows) / len(rows))

    assert mean(late) > mean(early) + 0.1


def test_the_grid_visits_every_point_once_before_it_starts_over() -> None:
    points = [tuple(one.values()) for one in propose("grid", 2 * 4 * 4 * 2)]
    first, second = points[:32], points[32:]
    assert len(set(first)) == 32
    assert second == first


def test_levels_include_both_ends() -> None:
    assert levels_of(IntDistribution(1, 1000, log=True), 4) == [1, 10, 100, 1000]
    assert levels_of(FloatDistribution(0.0, 1.0), 3) == [0.0, 0.5, 1.0]
    assert levels_of(IntDistribution(0, 12, step=3), 3) == [0, 6, 12]
    assert levels_of(CategoricalDistribution(["a", "b"]), 5) == ("a", "b")
    assert levels_of(IntDistribution(1, 2), 5) == [1, 2]


def test_a_grid_too_large_to_shuffle_still_proposes() -> None:
    many = {str(i): FloatDistribution(0.0, 1.0) for i in range(12)}
    assert sampler_of(Grid(levels=10), many, 10**7) is not None


def test_values_by_their_place() -> None:
    assert [value_at(IntDistribution(1, 4), u) for u in (0, 0.24, 0.26, 0.999)] == [1, 1, 2, 4]
    assert [value_at(IntDistribution(0, 12, step=3), u) for u in (0, 0.5, 0.99)] == [0, 6, 12]
    assert value_at(FloatDistribution(1.0, 100.0, log=True), 0.5) == pytest.approx(10)
    assert [value_at(IntDistribution(1, 100, log=True), u) for u in (0, 0.999999)] == [1, 100]
    assert [value_at(CategoricalDistribution(["a", "b"]), u) for u in (0.49, 0.51)] == ["a", "b"]


@pytest.mark.parametrize("n_points", [8, 13, 32])
def test_even_points_leave_no_hole(n_points: int) -> None:
    square: dict[str, BaseDistribution] = {"x": FloatDistribution(0.0, 1.0), "y": FloatDistribution(0.0, 1.0)}
    for seed in range(5):
        points = [even_point(square, seed=seed, ordinal=i) for i in range(n_points)]
        for axis in square:
            # No gap on an axis is much wider than the mean one, 1/n.
            places = sorted(float(point[axis]) for point in points)
            assert max(b - a for a, b in pairwise([0.0, *places, 1.0])) < 4.2 / n_points
        # Nor does any quarter of the square stay empty.
        assert len({(point["x"] < 0.5, point["y"] < 0.5) for point in points}) == 4


def test_the_estimator_begins_after_an_even_start() -> None:
    assert propose("tpe", 16) == propose("qmc", 16)
    assert propose("tpe", 20)[16:] != propose("qmc", 20)[16:]


@pytest.mark.parametrize(
    "distribution",
    [
        IntDistribution(1, 100, log=True),
        IntDistribution(0, 12, step=3),
        IntDistribution(0, 4),
        FloatDistribution(0.5, 3.0),
        FloatDistribution(7.0, 60.0, log=True),
        FloatDistribution(0.0, 1.0, step=0.25),
        CategoricalDistribution(["a", "b", "c"]),
    ],
)
def test_a_value_s_place_has_that_value(distribution: BaseDistribution) -> None:
    for u in (0.0, 0.123, 0.5, 0.987):
        value = value_at(distribution, u)
        assert 0 <= place_of(distribution, value) < 1
        again = value_at(distribution, place_of(distribution, value))
        assert again == (pytest.approx(value) if isinstance(value, float) else value)


def stepped(trials: list[tuple[dict[str, Any], list[float], float]], *, n: int = 60) -> list[dict[str, Any]]:
    """Steps from trials of (params, values to maximize and minimize, violation)."""
    study = optuna.create_study(directions=["maximize", "minimize"])
    for params, values, violation in trials:
        constraints = {"c": violation}
        study.add_trial(create_trial(params=params, distributions=DISTRIBUTIONS, values=values, constraints=constraints))
    proposed = []
    for seed in range(n):
        study.sampler = StepSampler(DISTRIBUTIONS, seed=seed, fallback={"a": 50, "b": 0.5, "c": "y"})
        proposed.append(study.ask(DISTRIBUTIONS).params)
    return proposed


GOOD, OTHER, WORSE = {"a": 10, "b": 0.1, "c": "x"}, {"a": 90, "b": 0.9, "c": "y"}, {"a": 50, "b": 0.5, "c": "x"}


def near(one: dict[str, Any], parent: dict[str, Any]) -> int:
    return sum(one[name] == value for name, value in parent.items())


def test_a_step_moves_something_and_not_everything_far() -> None:
    steps = stepped([(GOOD, [2.0, 1.0], -1.0), (WORSE, [1.0, 2.0], -1.0)])
    assert all(one != GOOD for one in steps)
    assert {near(one, GOOD) for one in steps} >= {0, 1, 2}
    assert all(1 <= one["a"] <= 100 and 0 <= one["b"] <= 1 for one in steps)
    moved = sorted(abs(one["b"] - 0.1) for one in steps if one["b"] != 0.1)
    assert moved[0] < 0.05 < 0.15 < moved[-1]


def test_what_breaks_a_constraint_is_left_alone_as_long_as_something_keeps_them() -> None:
    better_but_broken = (OTHER, [9.0, 0.0], 0.1)
    steps = stepped([(GOOD, [2.0, 1.0], -1.0), better_but_broken])
    assert not any(one["a"] == OTHER["a"] or one["b"] == OTHER["b"] for one in steps)
    from_least_broken = stepped([(GOOD, [2.0, 1.0], 0.5), (OTHER, [1.0, 1.0], 0.2)])
    assert sum(near(one, OTHER) > 0 for one in from_least_broken) > 40


def test_the_ends_of_the_front_that_gain_little_are_seldom_left() -> None:
    """Of three points that nothing dominates, the one in the knee dominates almost all."""
    left, knee, right = GOOD, WORSE | {"c": "y", "a": 51}, OTHER
    steps = stepped([(left, [0.0, 0.0], -1.0), (knee, [9.9, 0.1], -1.0), (right, [10.0, 10.0], -1.0)], n=100)
    assert sum(near(one, knee) > 1 for one in steps) > 4 * sum(near(one, left) > 1 for one in steps)


def test_without_a_finished_trial_a_step_is_the_fallback() -> None:
    assert stepped([], n=2) == [{"a": 50, "b": 0.5, "c": "y"}] * 2


def proposed(kind: str, ordinal: int, prior: Prior) -> dict[str, Any]:
    """Returns what the sampler proposes for trial `ordinal` after one good trial."""
    study = optuna.create_study(directions=["maximize", "minimize"])
    study.add_trial(create_trial(params=GOOD, distributions=DISTRIBUTIONS, values=[2.0, 1.0], constraints={"c": -1.0}))
    options: SamplerOptions = TypeAdapter(AnySampler).validate_python({"kind": kind})
    study.sampler = sampler_of(options, DISTRIBUTIONS, ordinal, prior)
    return study.ask(DISTRIBUTIONS).params


def test_with_good_starts_three_of_four_first_trials_are_steps_from_them() -> None:
    prior = Prior(has_good_starts=True)
    steps = [near(proposed("tpe", ordinal, prior), GOOD) for ordinal in range(1, 16)]
    even = [near(proposed("tpe", ordinal, Prior()), GOOD) for ordinal in range(1, 16)]
    assert sum(steps) > sum(even)
    assert [proposed("tpe", i, prior) for i in (4, 8, 12)] == [proposed("tpe", i, Prior()) for i in (4, 8, 12)]


def test_points_are_placed_and_values_follow_a_step() -> None:
    placed = proposed("tpe", 3, Prior(place=lambda point, places: {**point, "b": 0.25 + places["b"] / 2}))
    assert 0.25 <= placed["b"] <= 0.75
    follow = Prior(has_good_starts=True, follow=lambda before, after, moved: {**after, "b": 0.1234})
    assert proposed("tpe", 3, follow)["b"] == 0.1234
