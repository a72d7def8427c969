# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from ccsim.policy import Profile
from tests.tuner.checks.fake_fabric import FakeFabric
from tests.tuner.checks.nights import CHECK, DIGEST, fill, night, observation, run
from tuner.checks.acceptance import found_changes, metrics_with_few_values
from tuner.checks.confirmed import confirmed_of
from tuner.checks.decisions import UNSAID
from tuner.checks.kind import KINDS
from tuner.checks.observation import Entry, Finding, Observation
from tuner.checks.run_check import options_digest, run_check
from tuner.checks.states import FAIL
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.history import History
from tuner.checks.store.night_run import NightRun
from tuner.checks.symptoms.of_night import symptoms_of
from tuner.checks.verdict import Verdict, verdict
from tuner.documents.check_kinds import Fairness, Tables
from tuner.documents.profile import load_profile, profile_revision
from tuner.errors import BadInputError, UnreachableError

BASE = [12.99, 13.01, 13.0, 13.02, 12.98, 13.0, 13.01, 12.99, 13.0, 13.0]
Judge = Callable[..., Verdict]
FINDING = Finding(code="device-refused", sentence="S1 refused a value", place="S1", evidence="x", next_step="ibcc fabric devices")


@pytest.fixture
def history(tmp_path: Path) -> History:
    return History(tmp_path, CHECK.name)


def baseline_of(history: History) -> Baseline:
    fill(history, BASE)
    return history.accept([night(i) for i in range(10)], by="a", at="t")


def judged(history: History, day: int, seen: Observation, *, options: str = DIGEST) -> Verdict:
    entry = Entry(name="fairness", options=options, observation=seen)
    return verdict(CHECK, [entry], history.runs(), history.baseline(), night(day))


def after(history: History, *values: float | None) -> Verdict:
    """Judges the last of nights with these values after the baseline."""
    baseline_of(history)
    fill(history, [None] * 10 + list(values[:-1]))
    return judged(history, 9 + len(values), observation(values[-1]))


def test_without_a_baseline_it_learns(history: History) -> None:
    fill(history, [13.0, None, 13.0])
    assert judged(history, 3, observation(13.0)).headline == "learning: 3 of 10 nights"


def test_a_night_that_could_not_be_run_teaches_nothing(history: History) -> None:
    fill(history, [13.0, None, 13.0])
    headline = judged(history, 3, Observation(not_run="there is no plugin")).headline
    assert headline == "there is no plugin; learning: 2 of 10 nights"


def test_findings_fail_while_it_learns(history: History) -> None:
    found = judged(history, 0, observation(13.0, FINDING))
    assert (found.state.name, found.headline) == ("fail", "S1 refused a value; learning: 1 of 10 nights")


def test_as_many_nights_as_wanted_lead_to_acceptance(history: History) -> None:
    fill(history, BASE)
    assert "accept made-up --last 10" in judged(history, 10, observation(13.0)).headline


@pytest.mark.parametrize(
    ("values", "state", "words"),
    [
        ([13.0, 13.01], "pass", "no alarm; 1 metric compared with the baseline"),
        ([9.0], "fail", "is worse: 13 before, 9.003 Gb/s now, a step since 2026-01-11"),
        ([9.0, None, 9.0], "fail", "since 2026-01-11"),
        ([18.0], "warn", "is better"),
        ([12.6] * 12, "warn", "is worse by less than the least effect of interest"),
        (
            [9.0, 9.0, 9.0, 13.0, None, 13.0],
            "fail",
            "was worse: 13 before, 9.002 Gb/s then, 13 tonight, a step since 2026-01-11; the alarm ends after 3 nights as before",
        ),
        (
            [9.0, 9.0, 9.0, 13.0, None, 13.0, 13.0],
            "pass",
            "fairness.victim_throughput is as before, for 3 nights: its alarm has ended",
        ),
        ([9.0, 9.0, 9.0, *[13.0] * 4], "pass", "no alarm; 1 metric compared with the baseline"),
        # What comes after it has its own numbers and its own first night.
        ([9.0, 9.0, 9.0, *[13.0] * 4, 11.0], "fail", "is worse: 13 before, 11 Gb/s now, a step since 2026-01-18"),
        ([9.0, 9.0, 13.0, 13.0, 9.0, 13.0, 13.0], "fail", "the alarm ends after 3 nights as before"),
        ([None], "warn", "fairness.victim_throughput has no value tonight"),
    ],
)
def test_changes_since_the_baseline(history: History, values: list[float | None], state: str, words: str) -> None:
    found = after(history, *values)
    assert found.state.name == state
    assert words in found.headline


def test_an_entry_that_was_not_run_is_outranked_by_a_fault(history: History) -> None:
    absent = Entry(name="tables", options="", observation=Observation(not_run="no plugin"))
    seen = Entry(name="fairness", options=DIGEST, observation=observation(13.0, FINDING))
    assert verdict(CHECK, [absent], [], None, night(0)).state.exit_code == 3
    assert verdict(CHECK, [absent, seen], [], None, night(0)).state.name == "fail"


def test_other_options_are_not_compared(history: History) -> None:
    baseline_of(history)
    found = judged(history, 10, observation(1.0), options="others")
    assert found.state.name == "warn"
    assert found.headline == ("no metric judged, as its options are not those of the baseline; accept a baseline that has them")


def test_the_last_run_of_a_night_that_was_run_counts(history: History) -> None:
    baseline_of(history)
    history.add(run(night(10), 9.0))
    history.add(run(night(10), 13.0))
    history.add(run(night(10), None, not_run="no fabric"))
    assert judged(history, 11, observation(13.0)).state.name == "pass"


def test_a_night_of_the_baseline_is_not_judged(history: History) -> None:
    fill(history, [*BASE[:4], None, *BASE[4:]])
    history.accept([night(i) for i in range(11)], by="a", at="t")
    found = judged(history, 4, observation(1.0))
    assert found.state.name == "pass"
    assert "not after the baseline" in found.headline


@pytest.mark.long
def test_an_alarm_outlives_the_nights_that_raised_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The nights between have no value that says that it is over."""
    fabric = FakeFabric()
    monkeypatch.setattr("tuner.checks.measured.create_backend", fabric.create)
    check = CHECK.model_copy(update={"kinds": (Fairness(profile="off", time_scale=0.1),)})
    history = History(tmp_path, check.name, keep_nights=10)
    for i in range(6):
        run_check(check, history, night(i))
    baseline = history.accept([night(i) for i in range(6)], by="a", at="t")
    for i in range(6, 40):
        fabric.fails = None if i < 8 or i == 39 else UnreachableError("gone")
        fabric.factor = 0.5 if i < 8 else 1.0
        found = run_check(check, history, night(i))
        assert found.run.judged["fairness.victim_throughput"].changed, i
        assert found.run.judged["fairness.victim_throughput"].since == night(6)
        assert found.verdict.state.name == "fail" if i < 8 else found.verdict.state.name in {"warn", "fail"}
    assert {run.date for run in history.runs()} == {*baseline.nights, *(night(i) for i in range(30, 40))}
    history.accept(baseline.nights, by="a", at="later")
    assert run_check(check, history, night(40)).verdict.state.name == "pass"


def test_an_alarm_stays_if_its_entry_cannot_be_run(history: History) -> None:
    baseline_of(history)
    history.add(run(night(10), 5.0))
    found = judged(history, 11, Observation(not_run="there is no fabric"))
    assert found.state.name == "fail"
    assert found.alarms["fairness.victim_throughput"].sentence.startswith("fairness.victim_throughput is worse")


def test_metrics_with_too_few_values_are_named_when_nights_are_accepted(tmp_path: Path) -> None:
    history = History(tmp_path, CHECK.name)
    fill(history, [None, 13.0, 13.0, 13.0, 13.0])
    history.add(run(night(0), None))
    baseline = history.accept([night(day) for day in range(5)], by="Ada", at="t")
    assert metrics_with_few_values(CHECK, history.runs(), baseline) == ["fairness.victim_throughput"]
    history.add(run(night(0), 13.0))
    assert metrics_with_few_values(CHECK, history.runs(), history.accept(baseline.nights, by="Ada", at="t")) == []


def test_counts_have_no_normal(tmp_path: Path) -> None:
    """Ten more devices are no alarm, nine fewer are findings, and no night has to be learnt from."""
    check = CHECK.model_copy(update={"kinds": (Tables(),)})
    digest = options_digest(check, check.kinds[0])
    history = History(tmp_path, CHECK.name)
    for day in range(5):
        made = run(night(day), None)
        entry = replace(
            made.entries[0], name="tables", kind="tables", options=digest, values={"devices": 9.0}, units={"devices": "1"}
        )
        history.add(replace(made, entries=(entry,)))
    baseline = history.accept([night(day) for day in range(5)], by="Ada", at="t")
    assert found_changes(check, history.runs(), baseline) == []
    assert metrics_with_few_values(check, history.runs(), baseline) == []
    devices = next(metric for metric in KINDS.get("tables").metrics if metric.name == "devices")
    for value, known in ((19.0, baseline), (0.0, baseline), (None, baseline), (9.0, None)):
        tonight = Entry(name="tables", options=digest, observation=Observation(metrics=((devices, value),)))
        found = verdict(check, [tonight], history.runs(), known, night(6))
        assert (found.state.name, found.headline, found.learning) == ("pass", "no finding", None)


def test_an_alarm_that_only_stands_is_no_symptom_of_tonight(history: History) -> None:
    kept = baseline_of(history)
    for day, value, state in ((10, 9.0, "9.003 Gb/s now"), (11, 13.0, " Gb/s then, 13 tonight, a step since 2026-01-11")):
        tonight = Entry(name="fairness", options=DIGEST, observation=observation(value))
        found = verdict(CHECK, [tonight], history.runs(), kept, night(day))
        assert found.state is FAIL
        assert state in found.headline
        assert (" was worse: " if value == 13.0 else " is worse: ") in found.headline
        assert [one.name for one in symptoms_of([tonight], found)] == ["victims-worse"] * (day == 10)
        history.add(run(night(day), value))


OLD, NEW = "gran-2010@1", "gran-2012@2"


def under(profile: str, day: int, value: float) -> NightRun:
    made = run(night(day), value)
    return replace(made, entries=(replace(made.entries[0], regime=profile, findings=()),))


def tonight_under(history: History, profile: str, day: int, value: float) -> Verdict:
    found = judged(history, day, replace(observation(value), regime=profile))
    history.add(under(profile, day, value))
    return found


def test_a_promotion_is_no_alarm_and_the_way_back_has_its_baseline(history: History) -> None:
    for day, value in enumerate(BASE):
        history.add(under(OLD, day, value))
    history.accept([night(day) for day in range(10)], by="a", at="t")
    assert tonight_under(history, OLD, 10, 13.0).state.name == "pass"
    first, second = tonight_under(history, NEW, 11, 9.0), tonight_under(history, NEW, 12, 9.01)
    assert (first.state.name, second.state.name) == ("warn", "pass")
    assert first.headline.startswith("fairness is under profile gran-2012@2 since 2026-01-12, and the baseline under another")
    # The old one comes back, and with it what is normal under it.
    assert tonight_under(history, OLD, 13, 13.0).headline == "no alarm; 1 metric compared with the baseline"
    for day in range(15, 25):
        told = tonight_under(history, NEW, day, 9.0 + 0.01 * (day % 2))
    assert told.headline.endswith("; `ibcc check accept made-up --from 2026-01-12` accepts the 12 nights")
    history.accept([night(day) for day in (11, 12, *range(15, 25))], by="a", at="later")
    assert tonight_under(history, NEW, 25, 9.0).state.name == "pass"
    assert tonight_under(history, NEW, 26, 6.0).state.name == "fail"
    assert tonight_under(history, OLD, 27, 13.0).state.name == "pass"  # of the former baseline
    assert tonight_under(history, OLD, 28, 9.0).state.name == "fail"


def test_until_nights_are_accepted_the_trial_run_is_what_is_expected_of_a_promoted_profile(history: History) -> None:
    for day, value in enumerate(BASE):
        history.add(under(OLD, day, value))
    history.accept([night(day) for day in range(10)], by="a", at="t")
    states = [tonight_under(history, NEW, day, value).state.name for day, value in ((11, 16.0), (12, 16.1), (13, 12.0))]
    assert states == ["warn", "pass", "pass"]  # one odd night says nothing
    again = tonight_under(history, NEW, 14, 12.1)
    assert again.state.name == "warn"
    assert again.headline == (
        "fairness.victim_throughput is worse than in the first nights under profile gran-2012@2: 16.05 then, 12.1 Gb/s now"
    )


def report(profile: Profile, victims: float) -> dict[str, Any]:
    """What confirmed_of reads of a campaign's report.json."""
    estimates = {"victim_throughput_gbps": {"value": victims}, "contributor_total_gbps": None}
    recommended = {"estimates": estimates, "profile_yaml": profile.to_yaml()}
    workloads = [{"name": "scenario-1"}]
    return {"campaign": {"name": "spring"}, "recommended": recommended, "conditions": {"workloads": workloads}}


def test_what_a_campaign_has_confirmed_is_expected_of_the_profile_that_it_recommends(history: History) -> None:
    for day, value in enumerate(BASE):
        history.add(under(OLD, day, value))
    history.accept([night(day) for day in range(10)], by="a", at="t")
    profile = load_profile("gran-2012", {})
    promoted = profile_revision(Profile.from_dict(profile.to_dict() | {"name": "cured"}))
    history.decide(UNSAID.with_confirmed(confirmed_of(report(profile, 16.0))))
    kept = History(history.folder.parent, history.folder.name).decisions()
    assert [one.values for one in kept.confirmed] == [{"victim_throughput": 16.0}]
    told = []
    for day, value in ((11, 15.9), (12, 12.0), (13, 12.1)):
        seen = replace(observation(value), regime=promoted)
        told.append(
            verdict(
                CHECK,
                [Entry(name="fairness", options=DIGEST, observation=seen)],
                history.runs(),
                history.baseline(),
                night(day),
                kept,
            )
        )
        history.add(under(promoted, day, value))
    assert [one.state.name for one in told] == ["warn", "pass", "warn"]
    assert told[-1].headline == (
        f"fairness.victim_throughput is worse than campaign 'spring' has confirmed for profile {promoted}: 16 then, 12.1 Gb/s now"
    )
    assert tonight_under(history, OLD, 14, 13.0).state.name == "pass", "the way back has its baseline"


@pytest.mark.parametrize("odd", [{"recommended": None}, {"conditions": {"workloads": []}}, {"campaign": {}}])
def test_a_report_that_confirms_nothing_is_refused(odd: dict[str, Any]) -> None:
    with pytest.raises(BadInputError):
        confirmed_of(report(load_profile("gran-2012", {}), 16.0) | odd)
