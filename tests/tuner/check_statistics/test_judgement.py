# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tuner.check_statistics.judgement import Judgement, judge
from tuner.check_statistics.series import Assumptions, Series

ASSUMED = Assumptions(resolution=0.01)
BASELINE = [float(value) for value in np.random.default_rng(1).normal(100, 1, 20)]


def nights(count: int, level: float = 100.0, seed: int = 2) -> list[float | None]:
    return [float(value) for value in np.random.default_rng(seed).normal(level, 1, count)]


def verdict(*parts: list[float | None], assumed: Assumptions = ASSUMED, baseline: list[float] | None = None) -> Judgement:
    """Returns the verdict on one of ten metrics."""
    series = Series(baseline or BASELINE, [night for part in parts for night in part], assumed)
    others = {str(i): Series(BASELINE, [], ASSUMED) for i in range(9)}
    return judge({"it": series, **others})["it"]


def test_no_change_is_no_alarm() -> None:
    found = verdict(nights(60))
    assert not found.changed
    assert found.evidence < 0
    assert found.change is None
    assert found.alarmed_on is None


def test_a_step_is_found_dated_and_measured() -> None:
    found = verdict(nights(20), nights(6, 93, seed=3))
    assert found.changed
    assert found.alarmed_on in (22, 23)
    assert found.change is not None
    assert (found.change.kind, found.change.since) == ("step", 20)
    assert found.change.since_low <= 20 <= found.change.since_high
    assert found.change.before.low < 100 < found.change.before.high
    assert found.change.after.low < 93 < found.change.after.high
    assert found.change.shift.low < -7 < found.change.shift.high


def test_a_drift_is_found_and_is_called_so() -> None:
    drift = [100 - 0.2 * i + night - 100 for i, night in enumerate(nights(50)) if night is not None]
    found = verdict(nights(10, seed=4), [*drift])
    assert found.change is not None
    assert found.change.kind == "drift"
    assert found.change.since_low - 5 <= 10 <= found.change.since_high + 5
    assert found.change.after.value == pytest.approx(90, abs=1.5)


def test_one_night_of_a_degraded_link_is_enough() -> None:
    found = verdict(nights(3), [30.0])
    assert found.changed
    assert found.change is not None
    assert (found.change.kind, found.change.since) == ("step", 3)


def test_one_odd_night_is_no_alarm() -> None:
    assert not verdict(nights(5), [80.0], nights(5, seed=3)).changed


def test_light_tails_find_in_one_night_what_heavy_ones_take_for_odd() -> None:
    assert verdict(nights(3), [80.0], assumed=Assumptions(0.01, tails="light")).changed
    assert not verdict(nights(3), [80.0]).changed


def test_an_alarm_stays_when_the_metric_recovers() -> None:
    found = verdict(nights(5), nights(5, 90, seed=3), nights(40, seed=4))
    assert found.changed
    assert found.latest < 0 < found.evidence
    assert found.change is not None
    assert found.change.since == 5
    assert found.change.after.value == pytest.approx(90, abs=1.5)


def test_missed_nights_are_counted_and_skipped() -> None:
    found = verdict([None, 100.3, None], [92.0, None, 93.1, 92.7, 93.2])
    assert found.change is not None
    assert found.change.since == 3
    assert found.alarmed_on in (5, 6, 7)


def test_more_metrics_need_more_evidence() -> None:
    series = Series(BASELINE, nights(5), ASSUMED)
    alone, among = judge({"a": series})["a"], judge({str(i): series for i in range(100)})["0"]
    assert among.evidence == pytest.approx(alone.evidence - 2)


def test_metrics_of_other_lengths_are_judged_in_the_order_given() -> None:
    series = {"b": Series(BASELINE, nights(5), ASSUMED), "a": Series(BASELINE[:10], nights(3), ASSUMED)}
    assert list(judge(series)) == ["b", "a"]
    assert judge({}) == {}


def test_a_night_that_has_not_come_is_no_alarm() -> None:
    for none in ([], [None, None]):
        found = judge({"a": Series(BASELINE, none, ASSUMED)})["a"]
        assert not found.changed
        assert found.evidence == -np.inf


@pytest.mark.long
@given(st.sampled_from([0.0, 1.0, 1e9, -3e-7]), st.floats(1e-9, 10))
def test_a_constant_never_alarms_by_rounding(value: float, resolution: float) -> None:
    rounding = abs(value) * 1e-16
    series = Series([value] * 20, [value + rounding * (i % 3) for i in range(40)], Assumptions(max(resolution, rounding * 10)))
    assert not judge({"a": series})["a"].changed


def test_a_counter_of_errors() -> None:
    counter = Assumptions(resolution=1)
    none = [0.0] * 20
    assert not verdict([0.0] * 30, [1.0], [0.0] * 30, assumed=counter, baseline=none).changed
    assert verdict([0.0] * 30, [40.0, 60.0, 50.0], assumed=counter, baseline=none).changed


@pytest.mark.parametrize(("scale", "floor"), [("log", 0.1), ("share", 0.001)])
def test_estimates_are_in_the_metrics_units(scale: str, floor: float) -> None:
    random = np.random.default_rng(7)
    before, after = 0.8 + 0.01 * random.standard_normal(20), 0.6 + 0.01 * random.standard_normal(5)
    assumed = Assumptions(0.001, scale=scale, floor=floor)
    change = judge({"a": Series([*before], [*after], assumed)})["a"].change
    assert change is not None
    assert change.before.value == pytest.approx(0.8, abs=0.01)
    assert change.after.value == pytest.approx(0.6, abs=0.01)
    assert change.shift.value == pytest.approx(-0.2, abs=0.02)


@pytest.mark.long
@given(st.integers(5, 12), st.lists(st.one_of(st.none(), st.floats(-1e12, 1e12)), max_size=12), st.integers(0, 99))
def test_any_values_have_a_verdict(count: int, late: list[float | None], seed: int) -> None:
    early = [float(value) for value in np.random.default_rng(seed).standard_cauchy(count)]
    found = judge({"a": Series(early, late, Assumptions(1e-3, correlation=0.6))})["a"]
    assert not np.isnan(found.evidence)
    assert found.changed == (found.evidence >= 0) == (found.change is not None)
    if found.change is not None:
        assert 0 <= found.change.since_low <= found.change.since <= found.change.since_high < len(late)
        assert np.isfinite(found.change.shift.value)


@pytest.mark.long
@pytest.mark.parametrize(("nights_to_full", "count"), [(1, 16), (30, 40)])
def test_intervals_hold_the_truth_nearly_always(nights_to_full: int, count: int) -> None:
    random = np.random.default_rng(9)
    level = 7 * np.clip((np.arange(count) - 9) / nights_to_full, 0, 1)
    held = []
    for _ in range(20):
        late = level + random.standard_normal(count)
        change = judge({"a": Series([*random.standard_normal(20)], [*late], Assumptions(1e-6))})["a"].change
        assert change is not None
        held.append((change.shift.low <= level[-1] <= change.shift.high, change.since_low <= 10 <= change.since_high))
    assert (np.sum(held, axis=0) >= 16).all()
