# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.goals.metrics import Activity, compute_metrics, jain_index, settle_time_s
from tuner.goals.series import Series


def flow(role: str, start_s: float, stop_s: float) -> Activity:
    return Activity(role=role, start_s=start_s, stop_s=stop_s)


def rows(*values: list[float]) -> Series:
    return np.array(values, dtype=np.float64)


def test_by_hand() -> None:
    """Four samples of 0.5 s; the window is the last two."""
    flows = [flow("victim", 0, 2), flow("contributor", 0, 2), flow("contributor", 1, 2), flow("other", 0, 2)]
    gbps = rows([9, 9, 5, 7], [8, 8, 6, 2], [0, 0, 3, 4], [1, 1, 1, 1])
    metrics = compute_metrics(flows, gbps, window_s=(1.0, 2.0), interval_s=0.5)
    assert metrics.victim_throughput_gbps == 6.0  # (5 + 7) / 2
    assert metrics.contributor_total_gbps == 7.5  # (6+3 + 2+4) / 2
    # differences 6-3 = 3 and 4-2 = 2: mean 2.5, variance ((0.5)^2 + (0.5)^2) / 2
    assert metrics.spread_gbps == 2.5
    assert metrics.treatment_variation_gbps2 == 0.25
    # means 4 and 3.5: 7.5^2 / (2 * (16 + 12.25))
    assert metrics.jain_index == pytest.approx(56.25 / 56.5)


def test_no_victims_or_no_contributors_is_null() -> None:
    gbps = rows([1, 2])
    without_contributors = compute_metrics([flow("victim", 0, 2)], gbps, window_s=(0, 2), interval_s=1)
    assert without_contributors.victim_throughput_gbps == 1.5
    given = {name: value for name, value in without_contributors.to_json().items() if value is not None}
    assert given == {"victim_throughput_gbps": 1.5, "total_throughput_gbps": 1.5}
    without_victims = compute_metrics([flow("contributor", 0, 2)], gbps, window_s=(0, 2), interval_s=1)
    assert without_victims.victim_throughput_gbps is None
    assert without_victims.treatment_variation_gbps2 == 0.0


def test_the_total_is_of_all_flows_in_the_window() -> None:
    flows = [flow("victim", 0, 3), flow("contributor", 1, 3), flow("other", 0, 3)]
    metrics = compute_metrics(flows, rows([9, 1, 2], [0, 3, 4], [5, 5, 6]), window_s=(1, 3), interval_s=1, round_trip_p99_us=7.5)
    assert metrics.total_throughput_gbps == (9 + 12) / 2
    assert metrics.round_trip_p99_us == 7.5


def test_a_constant_unfairness_has_spread_but_no_variation() -> None:
    flows = [flow("contributor", 0, 3), flow("contributor", 0, 3)]
    metrics = compute_metrics(flows, rows([9, 9, 9], [1, 1, 1]), window_s=(0, 3), interval_s=1)
    assert (metrics.treatment_variation_gbps2, metrics.spread_gbps) == (0.0, 8.0)


def test_jain_index_of_one_hog_is_one_in_n() -> None:
    assert jain_index(np.array([5.0, 0.0, 0.0, 0.0])) == 0.25
    assert jain_index(np.array([2.0, 2.0, 2.0])) == 1.0
    assert jain_index(np.zeros(3)) is None


class TestSettleTime:
    """Samples of 10 ms, so five are a block."""

    def test_of_a_second_flow_that_takes_two_blocks(self) -> None:
        flows = [flow("contributor", 0, 0.4), flow("contributor", 0.2, 0.4)]
        first = [10.0] * 20 + [9.0] * 5 + [7.0] * 5 + [5.5] * 10
        second = [0.0] * 20 + [1.0] * 5 + [3.0] * 5 + [4.5] * 10
        assert settle_time_s(flows, rows(first, second), interval_s=0.01) == pytest.approx(0.1)

    def test_is_over_when_they_stay_fair_not_when_they_cross(self) -> None:
        flows = [flow("contributor", 0, 0.2), flow("contributor", 0, 0.2)]
        first = [9.0] * 5 + [5.0] * 5 + [8.0] * 5 + [5.0] * 5
        second = [1.0] * 5 + [5.0] * 5 + [2.0] * 5 + [5.0] * 5
        assert settle_time_s(flows, rows(first, second), interval_s=0.01) == pytest.approx(0.15)

    def test_uses_block_means_not_samples(self) -> None:
        flows = [flow("contributor", 0, 0.1), flow("contributor", 0, 0.1)]
        first, second = [10.0, 0.0, 10.0, 0.0, 5.0] * 2, [0.0, 10.0, 0.0, 10.0, 5.0] * 2
        assert settle_time_s(flows, rows(first, second), interval_s=0.01) == 0.0

    def test_is_null_if_they_never_settle(self) -> None:
        flows = [flow("contributor", 0, 0.1), flow("contributor", 0, 0.1)]
        assert settle_time_s(flows, rows([9.0] * 10, [1.0] * 10), interval_s=0.01) is None

    def test_is_null_if_nothing_gets_through(self) -> None:
        assert settle_time_s([flow("contributor", 0, 0.1)], rows([0.0] * 10), interval_s=0.01) is None

    def test_is_null_if_a_phase_is_too_short_to_tell(self) -> None:
        flows = [flow("contributor", 0, 0.1), flow("contributor", 0.07, 0.1)]
        assert settle_time_s(flows, rows([5.0] * 10, [0.0] * 7 + [5.0] * 3), interval_s=0.01) is None

    def test_a_flow_that_has_stopped_is_not_waited_for(self) -> None:
        flows = [flow("contributor", 0, 0.1), flow("contributor", 0, 0.2), flow("contributor", 0.1, 0.2)]
        gbps = rows([5.0] * 10 + [0.0] * 10, [5.0] * 20, [0.0] * 10 + [5.0] * 10)
        assert settle_time_s(flows, gbps, interval_s=0.01) == 0.0

    def test_exactly_20_percent_is_within(self) -> None:
        flows = [flow("contributor", 0, 0.05), flow("contributor", 0, 0.05)]
        assert settle_time_s(flows, rows([6.0] * 5, [4.0] * 5), interval_s=0.01) == 0.0
        assert settle_time_s(flows, rows([6.1] * 5, [3.9] * 5), interval_s=0.01) is None


_series = st.integers(2, 5).flatmap(
    lambda n: st.lists(st.lists(st.floats(0, 100), min_size=n, max_size=n), min_size=10, max_size=30)
)


@pytest.mark.long
@given(_series, st.permutations(range(5)))
def test_metrics_do_not_depend_on_the_order_of_flows(samples: list[list[float]], order: list[int]) -> None:
    gbps = np.array(samples).T
    flows = [flow("contributor", 0, len(samples) * 0.01)] * len(gbps)
    window = (0.0, len(samples) * 0.01)
    shuffled = gbps[[i for i in order if i < len(gbps)]]
    one = compute_metrics(flows, gbps, window_s=window, interval_s=0.01).to_json()
    other = compute_metrics(flows, shuffled, window_s=window, interval_s=0.01).to_json()
    for key, value in one.items():
        assert (other[key] is None) == (value is None)
        assert value is None or other[key] == pytest.approx(value, rel=1e-9, abs=1e-9), key


@given(_series)
def test_bounds(samples: list[list[float]]) -> None:
    gbps = np.array(samples).T
    duration_s = len(samples) * 0.01
    flows = [flow("contributor", 0, duration_s)] * len(gbps)
    metrics = compute_metrics(flows, gbps, window_s=(0.0, duration_s), interval_s=0.01)
    assert metrics.spread_gbps is not None
    assert 0 <= metrics.spread_gbps <= gbps.max()
    assert metrics.treatment_variation_gbps2 is not None
    assert 0 <= metrics.treatment_variation_gbps2 <= (gbps.max() / 2) ** 2 + 1e-9  # Popoviciu's inequality
    assert metrics.jain_index is None or 1 / len(gbps) - 1e-9 <= metrics.jain_index <= 1 + 1e-9
    assert metrics.settle_time_s is None or 0 <= metrics.settle_time_s < duration_s


@pytest.mark.parametrize(("received", "share"), [(16.6, 0.4), (41.5, 1.0), (55.5, 1.0)])
def test_victims_that_catch_up_keep_no_more_than_all(received: float, share: float) -> None:
    """They ask for 41.5 Gb/s, and were held back before the window in which they receive 55.5."""
    gbps = rows([received, received], [10, 10])
    found = compute_metrics([flow("victim", 0, 2), flow("contributor", 0, 2)], gbps, window_s=(0, 2), interval_s=1)
    assert found.with_shares(victims_gbps=41.5, contributors_gbps=10).victims_share == share
