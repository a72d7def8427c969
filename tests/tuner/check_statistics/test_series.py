# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import math

import pytest

from tuner.check_statistics.series import Assumptions, Series
from tuner.check_statistics.threshold import threshold
from tuner.errors import BadInputError

ASSUMED = Assumptions(resolution=0.1)


def test_missed_nights_keep_their_places() -> None:
    series = Series([1, 2, None, 3, 4, 5], [None, 6, None, 7], ASSUMED)
    assert series.count == 5
    assert series.positions().tolist() == [0, 1, 3, 4, 5, 7, 9]
    assert series.scaled().tolist() == [1, 2, 3, 4, 5, 6, 7]


def test_a_correlation_allows_for_smaller_ones() -> None:
    assert Assumptions(1, correlation=0.6).rhos == (0.0, 0.3, 0.6)
    assert Assumptions(1, correlation=0).rhos == (0.0,)


@pytest.mark.parametrize(
    ("changed", "sentence"),
    [
        ({"resolution": 0.0}, "resolution is 0; it must be above 0"),
        ({"resolution": math.inf}, "resolution is inf"),
        ({"scale": "cubic"}, "'cubic' is not known; there are log, plain, share"),
        ({"tails": "fat"}, "'fat' is not known; there are heavy, light, medium"),
        ({"scale": "log"}, "floor is 0; for the scale 'log' it must be between 0 and inf"),
        ({"scale": "share", "floor": 0.5}, "floor is 0.5; for the scale 'share' it must be between 0 and 0.5"),
        ({"correlation": 0.9}, "correlation is 0.9; it must be one of 0, 0.3 and 0.6"),
    ],
)
def test_assumptions_out_of_range_are_refused(changed: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        Assumptions(**({"resolution": 1.0} | changed))  # type: ignore[arg-type]


def test_values_that_are_not_finite_are_refused() -> None:
    with pytest.raises(BadInputError, match="a night has the value nan; it must be finite"):
        Series([1, 2, 3, 4, 5], [math.nan], ASSUMED)


def test_a_short_baseline_is_refused() -> None:
    with pytest.raises(BadInputError, match="the baseline has 4 values; it must have at least 5"):
        Series([1, 2, 3, None, 4], [], ASSUMED)


def test_the_alarm_probability_is_divided_over_metrics_and_nights() -> None:
    assert threshold(10, 0.1) == pytest.approx(36_500)
    with pytest.raises(BadInputError, match="the alarm probability is 1; it must be between 0 and 1"):
        threshold(10, 1)
    with pytest.raises(BadInputError, match="there are 0 metrics"):
        threshold(0)
