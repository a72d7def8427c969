# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.goals.pareto import dominates, front, hypervolume

unit = st.integers(0, 6).map(lambda n: n / 4)
pairs = st.lists(st.tuples(unit, unit), max_size=10)
triples = st.lists(st.tuples(unit, unit, unit), max_size=6)


def test_hypervolume_of_two_steps() -> None:
    # 1 x 2 and, to the right of it, 1 x 1.
    assert hypervolume([(1.0, 1.0), (2.0, 2.0), (5.0, 0.0)], (3.0, 3.0)) == pytest.approx(4.0)
    assert hypervolume([(0.0, 1.0), (1.0, 0.0)], (2.0, 2.0)) == pytest.approx(3.0)


def test_a_point_at_the_reference_dominates_nothing() -> None:
    assert hypervolume([(3.0, 0.0)], (3.0, 3.0)) == 0.0


@given(triples)
def test_hypervolume_is_the_measure_of_the_dominated_region(points: list[tuple[float, float, float]]) -> None:
    # The coordinates are multiples of 1/4, so counting the cells of that grid is exact.
    cells = [(x / 4, y / 4, z / 4) for x in range(4) for y in range(4) for z in range(4)]
    counted = sum(any(all(p <= c for p, c in zip(point, cell, strict=True)) for point in points) for cell in cells) / 64
    assert hypervolume(points, (1.0, 1.0, 1.0)) == pytest.approx(counted)


@given(pairs)
def test_the_front_is_what_nothing_dominates(points: list[tuple[float, float]]) -> None:
    chosen = front(points)
    assert {points[i] for i in chosen} == {p for p in points if not any(dominates(q, p) for q in points)}
    assert len({points[i] for i in chosen}) == len(chosen)
    assert hypervolume([points[i] for i in chosen], (2.0, 2.0)) == pytest.approx(hypervolume(points, (2.0, 2.0)))


@given(pairs)
def test_hypervolume_does_not_depend_on_order(points: list[tuple[float, float]]) -> None:
    shuffled = random.Random(1).sample(points, len(points))
    assert hypervolume(shuffled, (2.0, 2.0)) == pytest.approx(hypervolume(points, (2.0, 2.0)))
