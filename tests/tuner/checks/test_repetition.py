# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A night that looks changed is measured again."""

from collections.abc import Callable
from pathlib import Path

import pytest

from tests.tuner.checks.fake_fabric import FakeFabric
from tests.tuner.checks.nights import CHECK, night
from tuner.check_statistics.judgement import judge
from tuner.check_statistics.series import Series
from tuner.checks.fairness_metrics import FAIRNESS_METRICS
from tuner.checks.repetition import judged_as
from tuner.checks.run_check import Outcome, run_check
from tuner.checks.store.history import History
from tuner.documents.check_kinds import Fairness, Tables
from tuner.errors import UnreachableError

OPTIONS = Fairness(profile="off", time_scale=0.1)
METRIC = "victim_throughput"
SETTLE = {one.name: one for one in FAIRNESS_METRICS}["settle_time"]


@pytest.fixture
def fabric(monkeypatch: pytest.MonkeyPatch) -> FakeFabric:
    fabric = FakeFabric()
    monkeypatch.setattr("tuner.checks.measured.create_backend", fabric.create)
    return fabric


@pytest.fixture
def on_night(fabric: FakeFabric, tmp_path: Path) -> Callable[..., Outcome]:
    """Runs a night after eight that are the baseline."""
    history = History(tmp_path, CHECK.name)

    def run(index: int, options: Fairness = OPTIONS) -> Outcome:
        return run_check(CHECK.model_copy(update={"kinds": (options,)}), history, night(index))

    for i in range(8):
        run(i)
    history.accept([night(i) for i in range(8)], by="a", at="t")
    fabric.measurements = 0
    return run


def value(outcome: Outcome) -> float:
    found = outcome.run.entries[0].values[METRIC]
    assert found is not None
    return found


def test_a_night_as_before_is_measured_once(fabric: FakeFabric, on_night: Callable[..., Outcome]) -> None:
    assert on_night(8).verdict.state.name == "pass"
    assert fabric.measurements == 1


def test_one_odd_measurement_is_no_odd_night(fabric: FakeFabric, on_night: Callable[..., Outcome]) -> None:
    fabric.next_factors = [0.5]
    outcome = on_night(8)
    assert (fabric.measurements, outcome.verdict.state.name) == (3, "pass")
    assert value(outcome) == pytest.approx(3.0, rel=0.02)
    assert outcome.run.entries[0].facts[-1].startswith("measured 3 times, since victim_throughput, ")


def test_a_change_is_seen_by_most_measurements(fabric: FakeFabric, on_night: Callable[..., Outcome]) -> None:
    fabric.next_factors = [0.5, 1.0, 0.5]
    outcome = on_night(8)
    assert (fabric.measurements, outcome.verdict.state.name) == (3, "fail")
    assert value(outcome) == pytest.approx(1.5, rel=0.02)


def test_repetitions_have_other_random_numbers_and_a_night_can_be_run_again(
    fabric: FakeFabric, on_night: Callable[..., Outcome]
) -> None:
    fabric.factor = 0.5
    first, second = on_night(8), on_night(8)
    assert first.run.entries == second.run.entries
    assert len(set(fabric.seeds[-3:])) == 3
    assert fabric.seeds[-3:] == fabric.seeds[-6:-3]


def test_a_repetition_that_fails_leaves_what_was_measured(fabric: FakeFabric, on_night: Callable[..., Outcome]) -> None:
    fabric.next_factors = [0.5, UnreachableError("gone")]
    outcome = on_night(8)
    assert outcome.verdict.state.name == "fail"
    assert value(outcome) == pytest.approx(1.5, rel=0.02)


def test_repetition_can_be_left_out(fabric: FakeFabric, tmp_path: Path) -> None:
    fabric.factor = 0.5
    options = OPTIONS.model_copy(update={"repeat": 0})
    check, history = CHECK.model_copy(update={"kinds": (options,)}), History(tmp_path, CHECK.name)
    for i in range(6):
        run_check(check, history, night(i))
    history.accept([night(i) for i in range(6)], by="a", at="t")
    fabric.factor, fabric.measurements = 1.0, 0
    run_check(check, history, night(6))
    assert fabric.measurements == 1


def test_a_heavy_tailed_metric_raises_an_alarm_on_the_first_night() -> None:
    def changed(options: Fairness) -> bool:
        assumed = judged_as(SETTLE, options).noise
        series = {f"metric-{i}": Series([0.05] * 10, [0.05], assumed) for i in range(6)}
        return judge(series | {"settle": Series([0.05] * 10, [1000.0], assumed)})["settle"].changed

    assert changed(OPTIONS)
    assert not changed(OPTIONS.model_copy(update={"repeat": 0}))


def test_only_heavy_tails_and_entries_that_repeat_are_judged_otherwise() -> None:
    assert judged_as(SETTLE, OPTIONS).noise.tails == "medium"
    assert judged_as(SETTLE, Tables()) == SETTLE
    light = FAIRNESS_METRICS[0]
    assert judged_as(light, OPTIONS) == light


def test_hosts_are_not_measured_again() -> None:
    options = Fairness(backend="cluster")
    assert options.repetitions == 0
    assert judged_as(SETTLE, options) == SETTLE
