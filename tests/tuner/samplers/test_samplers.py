# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every sampler obeys the same contract; the registry brings new ones in."""

from typing import Any

import optuna
import pytest
from optuna.distributions import BaseDistribution, CategoricalDistribution, FloatDistribution, IntDistribution

from tuner.samplers.base import SAMPLERS
from tuner.samplers.grid import Grid, levels_of
from tuner.samplers.point import value_at

DISTRIBUTIONS: dict[str, BaseDistribution] = {
    "a": IntDistribution(1, 100, log=True),
    "b": FloatDistribution(0.0, 1.0),
    "c": CategoricalDistribution(["x", "y"]),
}


def propose(kind: str, n_trials: int, seed: int = 1) -> list[dict[str, Any]]:
    """Values of a short search for a large `a` and a small `b`."""
    study = optuna.create_study(directions=["maximize", "minimize"])
    options = SAMPLERS.get(kind)(kind=kind, seed=seed)
    for ordinal in range(n_trials):
        study.sampler = options.sampler(DISTRIBUTIONS, ordinal)
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
    assert Grid(levels=10).sampler(many, 10**7) is not None


def test_values_by_their_place() -> None:
    assert [value_at(IntDistribution(1, 4), u) for u in (0, 0.24, 0.26, 0.999)] == [1, 1, 2, 4]
    assert [value_at(IntDistribution(0, 12, step=3), u) for u in (0, 0.5, 0.99)] == [0, 6, 12]
    assert value_at(FloatDistribution(1.0, 100.0, log=True), 0.5) == pytest.approx(10)
    assert [value_at(IntDistribution(1, 100, log=True), u) for u in (0, 0.999999)] == [1, 100]
    assert [value_at(CategoricalDistribution(["a", "b"]), u) for u in (0.49, 0.51)] == ["a", "b"]
