# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A field of a search space: what it draws, and sentences for what makes no sense."""

import pytest
from optuna.distributions import CategoricalDistribution, FloatDistribution, IntDistribution
from pydantic import TypeAdapter, ValidationError

from tuner.documents.parameter import Parameter, ParameterOf

read = TypeAdapter(ParameterOf).validate_python


def test_whole_ends_draw_whole_numbers() -> None:
    assert read({"low": 10, "high": 500, "log": True}).distribution == IntDistribution(10, 500, log=True)
    assert read({"low": 0, "high": 12, "step": 3}).distribution == IntDistribution(0, 12, step=3)


def test_an_end_with_a_point_draws_any_number() -> None:
    assert read({"low": 2.0, "high": 40, "log": True}).distribution == FloatDistribution(2.0, 40.0, log=True)
    assert read({"low": 0, "high": 1, "step": 0.25}).distribution == FloatDistribution(0.0, 1.0, step=0.25)


def test_choices_and_fixed_values() -> None:
    assert read({"choices": ["qp", "sl"]}).distribution == CategoricalDistribution(["qp", "sl"])
    fixed = read(8)
    assert fixed == Parameter(value=8)
    assert fixed.distribution is None
    assert fixed.ends == [8]


@pytest.mark.parametrize(
    ("document", "sentence"),
    [
        ({}, "either low and high, or choices, or value"),
        ({"low": 1, "high": 2, "value": 1}, "either low and high, or choices, or value"),
        ({"low": 5}, "has no high"),
        ({"low": 5, "high": 5}, "goes from 5 to 5"),
        ({"low": 0, "high": 5, "log": True}, "starts at 0 on a log scale"),
        ({"low": 1, "high": 5, "log": True, "step": 2}, "both log and step"),
        ({"low": 0, "high": 5, "step": 2}, "does not reach high 5 from 0 in steps of 2"),
        ({"low": 0, "high": 5, "step": 9}, "has step 9"),
        ({"choices": [1]}, "at least two choices"),
        ({"choices": [1, 1]}, "lists a choice twice"),
        ({"choices": [1, 2], "log": True}, "which only a range"),
    ],
)
def test_what_makes_no_sense_is_told(document: dict[str, object], sentence: str) -> None:
    with pytest.raises(ValidationError, match=sentence):
        read(document)


def test_what_a_parameter_holds() -> None:
    whole, real, stepped = (
        read({"low": 1, "high": 5}),
        read({"low": 1.0, "high": 5.0}),
        read({"low": 1.0, "high": 2.0, "step": 0.1}),
    )
    assert [whole.holds(value) for value in (1, 5, 3.0, 3.5, 0, 6, "3", True)] == [
        True,
        True,
        True,
        False,
        False,
        False,
        False,
        False,
    ]
    assert [real.holds(value) for value in (1, 3.5, 5.1)] == [True, True, False]
    assert [stepped.holds(value) for value in (1.3, 1.35)] == [True, False]
    assert [read({"choices": ["a", "b"]}).holds(value) for value in ("a", "c")] == [True, False]
