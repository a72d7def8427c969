# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Every aggregation of losses lies between their mean and their worst, and changes as risk is understood to."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.errors import BadInputError
from tuner.goals.aggregations import AGGREGATIONS, cvar

losses = st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=20)
parts = st.floats(0.01, 1)


def test_by_hand() -> None:
    four = [1.0, 4.0, 2.0, 3.0]
    assert AGGREGATIONS.get("mean")(None).combine(four) == 2.5
    assert AGGREGATIONS.get("worst")(None).combine(four) == 4
    assert cvar(four, 0.25) == 4
    assert cvar(four, 0.5) == 3.5
    assert cvar(four, 0.375) == pytest.approx((4 + 0.5 * 3) / 1.5)
    assert cvar(four, 0.1) == 4


@given(losses, parts)
def test_from_the_mean_to_the_worst(values: list[float], part: float) -> None:
    slack = 1e-6 * (1 + max(abs(value) for value in values))
    assert cvar(values, 1) == pytest.approx(sum(values) / len(values), abs=slack)
    assert cvar(values, 1) - slack <= cvar(values, part) <= max(values) + slack
    assert cvar(values, part) >= cvar(values, min(1, 2 * part)) - slack


@given(losses, parts, st.floats(0.1, 10), st.floats(-1e3, 1e3))
def test_units_do_not_matter(values: list[float], part: float, scale: float, shift: float) -> None:
    moved = cvar([scale * value + shift for value in values], part)
    assert moved == pytest.approx(scale * cvar(values, part) + shift, rel=1e-6, abs=1e-3)


@given(st.lists(st.tuples(st.floats(-1e6, 1e6), st.floats(0, 1e3)), min_size=1, max_size=20), parts)
def test_more_loss_is_never_better(pairs: list[tuple[float, float]], part: float) -> None:
    before, after = [value for value, _ in pairs], [value + more for value, more in pairs]
    assert cvar(after, part) >= cvar(before, part) - 1e-6 * (1 + max(abs(value) for value in after))


@pytest.mark.parametrize(
    ("name", "number", "sentence"),
    [
        ("mean", 2.0, "takes no number; 2 was given"),
        ("worst", 0.5, "takes no number; 0.5 was given"),
        ("cvar", None, "needs the fraction"),
        ("cvar", 0.0, "cvar is 0"),
        ("cvar", 1.5, "cvar is 1.5; .* above 0 and at most 1"),
    ],
)
def test_a_number_that_cannot_be_used_is_told(name: str, number: float | None, sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        AGGREGATIONS.get(name)(number)
