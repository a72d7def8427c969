# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest

from tuner.check_statistics.judgement import judge
from tuner.check_statistics.power import least_change, limits
from tuner.check_statistics.series import Assumptions, Series
from tuner.errors import BadInputError

LIGHT = Assumptions(0.01, tails="light")


@pytest.mark.long
def test_more_nights_find_less() -> None:
    found = least_change(20, 10, LIGHT, nights=(1, 3))
    assert found[1] is not None
    assert found[3] is not None
    assert found[1] > 1.3 * found[3]
    assert found == least_change(20, 10, LIGHT, nights=(1, 3))


@pytest.mark.long
def test_judgements_find_what_is_said_to_be_found() -> None:
    least = least_change(20, 1, LIGHT, nights=(3,))[3]
    assert least is not None
    random = np.random.default_rng(3)
    series = {}
    for i in range(60):
        series[str(i)] = Series([*random.normal(0, 1, 20)], [*random.normal(least, 1, 3)], LIGHT)
    found = sum(judge({"a": one})["a"].changed for one in series.values())
    assert 46 <= found <= 60


def test_a_change_that_is_never_found_has_no_size() -> None:
    assert least_change(5, 10**9, Assumptions(1, correlation=0.6), nights=(1,)) == {1: None}


def test_limits_are_in_the_metrics_units() -> None:
    baseline = [98.0, 99.0, 100.0, 101.0, 102.0]
    assert limits(Series(baseline, [1e9], Assumptions(0.1)), 2) == pytest.approx((100 - 2 * 1.4826, 100 + 2 * 1.4826))
    assert limits(Series([100.0] * 5, [], Assumptions(0.01, scale="log", floor=1)), 10) == pytest.approx((90.5, 110.5), abs=0.1)


def test_a_power_out_of_range_is_refused() -> None:
    with pytest.raises(BadInputError, match="the power is 1; it must be between 0 and 1"):
        least_change(20, 10, LIGHT, power=1)
