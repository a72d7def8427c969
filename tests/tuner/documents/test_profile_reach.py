# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.documents.profile import load_profile
from tuner.documents.profile_reach import reach


def test_the_windy_forest_of_648_hosts_is_too_wide_for_gran_2012() -> None:
    """experiments/forests_648/README.md: above 0.107 Gb/s, so 127 contributors to a receiver of 13.6 Gb/s."""
    bound = reach(load_profile("gran-2012"), receiver_gbps=13.6)
    assert bound is not None
    assert bound.by_recovery == 127
    assert bound.by_table > 1000
    assert bound.contributors == 127
    assert "at most 127 contributors" in bound.sentence


@pytest.mark.parametrize(("setting", "factor"), [("ca.ccti_timer", 4), ("ca.ccti_increase", 4)])
def test_a_longer_timer_or_larger_steps_reach_as_much_further(setting: str, factor: int) -> None:
    here = reach(load_profile("gran-2012"))
    value = {"ca.ccti_timer": 150, "ca.ccti_increase": 1}[setting]
    there = reach(load_profile("gran-2012", {setting: value * factor}))
    assert here is not None
    assert there is not None
    assert there.by_recovery == pytest.approx(factor * (here.by_recovery or 0), abs=factor)


def test_the_table_of_gran_2010_bounds_it() -> None:
    bound = reach(load_profile("gran-2010"))
    assert bound is not None
    # 10.11 us and a packet time of 1.037 us for each of 2,048 bytes.
    assert bound.rate_at_limit_gbps == pytest.approx(2048 * 8 / (10.11e3 + 1037), rel=1e-3)
    assert bound.contributors == bound.by_table == 10


def test_where_nothing_raises_the_ccti_each_sends_as_at_ccti_min() -> None:
    bound = reach(load_profile("gran-2010", {"ca.ccti_increase": 0}))
    assert bound is not None
    assert bound.contributors == bound.by_recovery == 1


def test_at_ccti_min_no_becn_is_needed() -> None:
    bound = reach(load_profile("gran-2010", {"ca.ccti_min": 127}))
    assert bound is not None
    assert bound.by_recovery is None
    assert bound.contributors == bound.by_table
    assert "CCTI_Timer" not in bound.sentence


def test_a_profile_that_is_off_has_none() -> None:
    assert reach(load_profile("off")) is None


@given(timer=st.integers(0, 65535), increase=st.integers(0, 255), rate=st.integers(0, 65535), receiver=st.floats(1, 800))
def test_more_marks_never_shorten_the_reach(timer: int, increase: int, rate: int, receiver: float) -> None:
    def contributors(marking_rate: int) -> int:
        settings = {"ca.ccti_timer": timer, "ca.ccti_increase": increase, "switch.marking_rate": marking_rate}
        bound = reach(load_profile("gran-2010", settings), receiver_gbps=receiver)
        assert bound is not None
        return bound.contributors

    assert contributors(rate // 2) >= contributors(rate) >= 0
