# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The knee of a Pareto front, against the distance from the chord worked out with coordinates."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.goals.objectives import OBJECTIVES
from tuner.goals.pareto import dominates
from tuner.goals.recommendation import KNEE, RULES, Candidate

TWO = (OBJECTIVES.get("contributor_total"), OBJECTIVES.get("treatment_variation"))  # more and less is better
THREE = (*TWO, OBJECTIVES.get("spread"))

levels = st.integers(0, 6).map(lambda n: n / 4)
rows = st.lists(st.tuples(levels, levels, st.booleans()), min_size=1, max_size=9)


def candidate(number: int, *values: float, feasible: bool = True) -> Candidate:
    return Candidate(
        number=number,
        feasible=feasible,
        victim_throughput_gbps=None,
        treatment_variation_gbps2=None,
        spread_gbps=None,
        values=dict(zip((objective.name for objective in THREE), values, strict=False)),
    )


@given(rows)
def test_no_point_of_the_front_lies_farther_from_the_chord(rows: list[tuple[float, float, bool]]) -> None:
    candidates = [candidate(i, total, variation, feasible=feasible) for i, (total, variation, feasible) in enumerate(rows)]
    chosen = KNEE.pick(candidates, TWO)
    feasible = {c.number: (-c.values["contributor_total"], c.values["treatment_variation"]) for c in candidates if c.feasible}
    if chosen is None:
        assert not feasible
        return
    front = [p for p in feasible.values() if not any(dominates(q, p) for q in feasible.values())]
    assert feasible[chosen.number] in front
    points = np.array(front)
    width = points.max(axis=0) - points.min(axis=0)
    if not width.all():
        return  # one point
    scaled = {p: (np.array(p) - points.min(axis=0)) / width for p in front}
    start, end = np.array([0.0, 1.0]), np.array([1.0, 0.0])

    def distance(p: tuple[float, float]) -> float:
        """To the left of the chord, where the ideal point is, positive."""
        (dx, dy), (x, y) = end - start, scaled[p] - start
        return float(dy * x - dx * y) / 2**0.5

    assert distance(feasible[chosen.number]) == pytest.approx(max(distance(p) for p in front))


@given(rows, st.randoms())
def test_the_order_of_the_candidates_does_not_matter(rows: list[tuple[float, float, bool]], random: Any) -> None:
    candidates = [candidate(i, total, variation, feasible=feasible) for i, (total, variation, feasible) in enumerate(rows)]
    shuffled = list(candidates)
    random.shuffle(shuffled)
    assert KNEE.pick(shuffled, TWO) == KNEE.pick(candidates, TWO)


def test_a_bulge_towards_the_ideal_is_the_knee_whatever_the_units() -> None:
    ends = [candidate(0, 13.0, 100.0), candidate(1, 10.0, 0.0)]
    bulge, dent = candidate(2, 12.7, 20.0), candidate(3, 10.5, 90.0)
    assert KNEE.pick([*ends, bulge], TWO) == bulge
    assert KNEE.pick([*ends, dent], TWO) == ends[0]  # dominated by nothing, but beyond the chord: the end with the best first one
    assert KNEE.pick([*ends, bulge, candidate(4, 13.0, 20.0, feasible=False)], TWO) == bulge


def test_of_two_points_the_better_first_objective_decides_and_of_one_objective_the_best() -> None:
    two = [candidate(0, 10.0, 0.0), candidate(1, 13.0, 100.0)]
    assert KNEE.pick(two, TWO) == two[1]
    assert KNEE.pick(two, TWO[1:]) == two[0]


def test_three_objectives() -> None:
    ends = [candidate(0, 13.0, 1.0, 1.0), candidate(1, 10.0, 0.0, 1.0), candidate(2, 10.0, 1.0, 0.0)]
    assert KNEE.pick([*ends, candidate(3, 11.5, 0.4, 0.4)], THREE) == candidate(3, 11.5, 0.4, 0.4)


def test_every_rule_says_what_it_does_and_orders_all_that_is_feasible() -> None:
    assert {"pinned", "knee"} <= set(RULES.names())
    some = [candidate(0, 12.0, 3.0), candidate(1, 13.0, 5.0, feasible=False), candidate(2, 11.0, 1.0), candidate(3, 9.0, 9.0)]
    for rule in RULES:
        assert RULES.get(rule.name) is rule
        assert rule.statement.startswith("feasible; ")
        ordered = list(rule.order(some, TWO))
        assert sorted(one.number for one in ordered) == [0, 2, 3]
        assert ordered[0] == rule.pick(some, TWO)


@pytest.mark.parametrize(
    ("one", "other", "preferred"),
    [
        ((13.0, 1.0), (13.0, 1.0), False),
        ((13.0, 0.9), (13.0, 1.0), True),
        ((12.0, 0.9), (10.0, 1.0), True),
        ((9.0, 0.8), (10.0, 1.0), True),  # gives up a tenth, and gains a fifth
        ((8.0, 0.9), (10.0, 1.0), False),  # the other way round
        ((10.0, 0.5), (10.0, 0.0), False),
        ((0.0, 0.0), (0.0, 0.5), True),
    ],
)
def test_of_two_the_one_is_preferred_that_gains_more_than_it_gives_up(
    one: tuple[float, float], other: tuple[float, float], preferred: bool
) -> None:
    assert KNEE.prefers(candidate(3, *one, feasible=False), candidate(1, *other), TWO) is preferred
