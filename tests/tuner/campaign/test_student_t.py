# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import math
from statistics import NormalDist

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuner.campaign.student_t import central_probability, quantile


@pytest.mark.parametrize(
    ("probability", "freedom", "table"),
    # Abramowitz and Stegun, table 26.10; 1 and 2 degrees have closed forms.
    [
        (0.975, 1, 12.706),
        (0.975, 2, 4.303),
        (0.975, 3, 3.182),
        (0.975, 4, 2.776),
        (0.975, 9, 2.262),
        (0.995, 10, 3.169),
        (0.95, 20, 1.725),
        (0.5, 7, 0.0),
    ],
)
def test_the_table_of_the_books(probability: float, freedom: int, table: float) -> None:
    assert quantile(probability, freedom) == pytest.approx(table, abs=5e-4)


@given(st.floats(0.5, 0.9999), st.integers(1, 60))
def test_the_quantile_is_the_inverse_of_the_probability(probability: float, freedom: int) -> None:
    assert central_probability(quantile(probability, freedom), freedom) == pytest.approx(2 * probability - 1, abs=1e-9)


@pytest.mark.long
@settings(max_examples=20)  # each adds up thousands of terms many times
@given(st.floats(0.5, 0.999))
def test_many_degrees_of_freedom_are_the_normal_distribution(probability: float) -> None:
    assert quantile(probability, 5_000) == pytest.approx(NormalDist().inv_cdf(probability), abs=2e-3)


def test_one_degree_is_the_cauchy_distribution() -> None:
    assert quantile(0.9, 1) == pytest.approx(math.tan(math.pi * 0.4))


@pytest.mark.parametrize(("probability", "freedom"), [(0.4, 3), (1.0, 3), (0.9, 0)])
def test_what_has_no_quantile_is_refused(probability: float, freedom: int) -> None:
    with pytest.raises(ValueError, match="no quantile"):
        quantile(probability, freedom)
