# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A seeded walk through all that can happen to a check over months: nights, clocks that jump, crashes, full disks, people.

After each step: the history can be read, unless a file that a person put there is named; no stored night is lost but by its age;
no night of a baseline is lost; an alarm stands until a baseline is accepted or three nights are as before; the fabric has its
profile and nobody holds it.

`make test-all` walks IBCC_CHECK_WALKS times (40) with new seeds; a failure names its seed.
"""

import errno
import os
import random
import statistics
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path
from typing import Any

import pytest

from tests.tuner.checks.crashes import Crash, crash_before
from tests.tuner.checks.fake_fabric import BASE, FakeFabric
from tests.tuner.checks.nights import FIRST, night
from tuner.checks.acceptance import chosen_nights
from tuner.checks.could_not_run import CouldNotRunError
from tuner.checks.run_check import Outcome, night_of_today, run_check
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.history import History
from tuner.checks.store.lock import locked
from tuner.documents.check import Check
from tuner.documents.check_kinds import Fairness
from tuner.errors import BadInputError, InterruptedRunError, UnreachableError

WALKS = int(os.environ.get("IBCC_CHECK_WALKS", "40"))
STEPS = 70
ENOSPC = OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))


@contextmanager
def full_disk(operation: str, after: int) -> Iterator[None]:
    """So many of these operations succeed, and the next ones do not."""
    left = after
    with pytest.MonkeyPatch.context() as patch:
        original = getattr(os, operation)

        def fake(*arguments: Any, **more: Any) -> Any:
            nonlocal left
            left -= 1
            if left < 0:
                raise ENOSPC
            return original(*arguments, **more)

        patch.setattr(os, operation, fake)
        yield


@dataclass
class Walk:
    """`stored`: the runs that are in the history by number. `alarmed`: by metric the number of the run that raised the alarm, for
    the present baseline and options."""

    folder: Path
    rng: random.Random
    fabric: FakeFabric
    today: date = FIRST
    keep: int = 10
    workload: str = "scenario-1"
    stored: dict[int, date] = field(default_factory=dict)
    alarmed: set[str] = field(default_factory=set)
    told: list[str] = field(default_factory=list)

    @property
    def check(self) -> Check:
        kind = Fairness(profile="gran-2010", workload=self.workload, time_scale=0.1)
        return Check(ibcc_check=1, name="walk", fabric="two-switch", kinds=(kind,))

    @property
    def history(self) -> History:
        """Returns the history as a new process has it."""
        return History(self.folder, "walk", keep_nights=self.keep)

    def step(self) -> None:
        events: list[tuple[float, Callable[[], None]]] = [
            (12, self.a_night),
            (1, self.the_same_night),
            (1, self.a_clock_that_jumps),
            (3, self.a_fault),
            (4, self.a_crash),
            (2, self.a_full_disk),
            (1, self.a_lock),
            (3, self.a_kind_that_fails),
            (3.0 if self.history.baseline() is None else 0.4, self.acceptance),
            (0.4, self.undone_acceptance),
            (0.4, self.other_options),
            (1, self.a_foreign_file),
            (1, self.a_damaged_file),
            (1, self.another_length),
        ]
        event = self.rng.choices([event for _, event in events], [weight for weight, _ in events])[0]
        self.told.append(f"{event.__name__} {self.today} keep {self.keep} factor {self.fabric.factor}")
        event()
        self.holds()

    # Events.

    def a_night(self) -> None:
        self.today += timedelta(days=self.rng.choice([1, 1, 1, 1, 2, 5]))
        self.run(self.today)

    def the_same_night(self) -> None:
        self.alarmed.clear()  # the repetition may show that the night was none
        self.run(self.rng.choice([self.today, self.today - timedelta(days=self.rng.randrange(12))]))

    def a_clock_that_jumps(self) -> None:
        before, self.today = self.today, self.today + timedelta(days=self.rng.choice([-20, 20]))
        with locked(self.folder, "walk"):
            latest = self.history.latest_date()
            if latest is not None and latest > self.today:
                with pytest.raises(CouldNotRunError, match=str(self.today)):
                    night_of_today(self.history, self.today)
                self.today = before
            else:
                assert night_of_today(self.history, self.today) == self.today

    def a_fault(self) -> None:
        self.fabric.factor = self.rng.choice([0.6, 0.9, 1.0, 1.0, 1.0])
        self.a_night()

    def a_crash(self) -> None:
        operation, before = self.rng.randrange(24), set(self.stored)
        self.today += timedelta(days=1)
        possible: list[Callable[[], object]] = [lambda: self.outcome(self.today)]
        if len({run.date for run in self.history.runs() if run.observed}) >= 5:
            possible.append(self.accept)
        what = self.rng.choice(possible)
        try:
            with crash_before(operation):
                what()
        except Crash:
            self.fabric.in_force, self.fabric.held = BASE, False  # the plugin sees to that, when nobody is there
        self.look(before)
        self.alarmed = {name for name in self.alarmed if self.standing_in_last(name)}

    def a_full_disk(self) -> None:
        self.today += timedelta(days=1)
        before = set(self.stored)
        with full_disk(self.rng.choice(["write", "fsync", "replace"]), self.rng.randrange(4)):
            outcome = self.outcome(self.today)
        if outcome.not_stored is not None:
            assert "No space left on device" in outcome.not_stored
            self.look(before)  # if the folder alone could not be synced, it is there
        else:
            self.note(outcome)

    def a_lock(self) -> None:
        with (
            locked(self.folder, "another"),
            pytest.raises(CouldNotRunError, match="another runs since"),
            locked(self.folder, "x"),
        ):
            pass

    def a_kind_that_fails(self) -> None:
        failures = [
            UnreachableError("gone"),
            BadInputError("wrong"),
            ENOSPC,
            ZeroDivisionError("a fault"),
            InterruptedRunError("stop"),
        ]
        self.fabric.fails = self.rng.choice(failures)
        self.today += timedelta(days=1)
        try:
            outcome = self.outcome(self.today)
        except InterruptedRunError:
            assert isinstance(self.fabric.fails, InterruptedRunError)
        else:
            assert outcome.run.entries[0].not_run is not None
            self.note(outcome)
        finally:
            self.fabric.fails = None

    def acceptance(self) -> None:
        observed = {run.date for run in self.history.runs() if run.observed}
        if len(observed) < 5:
            with pytest.raises(BadInputError, match="a baseline needs at least 5"):
                self.accept()
        else:
            self.accept()
            self.alarmed.clear()

    def undone_acceptance(self) -> None:
        baseline = self.history.baseline()
        if baseline is None or baseline.former is None:
            with pytest.raises(BadInputError, match="nothing to undo"):
                self.history.undo_accept()
        else:
            assert self.history.undo_accept() == baseline.former
            self.alarmed.clear()

    def other_options(self) -> None:
        self.workload = self.rng.choice(["scenario-1", "scenario-2"])
        self.alarmed.clear()

    def a_foreign_file(self) -> None:
        self.history.folder.mkdir(exist_ok=True)
        name = self.rng.choice(["2026-02-30.000001.json", f"{night(3)}.900000.json", "notes.txt", "x.json", "a.json.part"])
        path = self.history.folder / name
        path.write_text("{}")
        if name[0] == "2":
            with pytest.raises(BadInputError) as raised:
                self.outcome(self.today)
            assert str(path) in str(raised.value)
        else:
            self.run(self.today)
        path.unlink(missing_ok=True)

    def a_damaged_file(self) -> None:
        """The file is named, and a person puts its copy back."""
        files = sorted(self.history.folder.glob("2*.json")) if self.history.folder.exists() else []
        if files:
            path = self.rng.choice([*files[-3:], *self.history.folder.glob("baseline.json")])
            content = path.read_bytes()
            path.write_bytes(content[: self.rng.randrange(len(content) - 2)])
            with pytest.raises(BadInputError) as raised:
                self.outcome(self.today)
            assert str(path) in str(raised.value)
            path.write_bytes(content)

    def another_length(self) -> None:
        self.keep = self.rng.choice([10, 12, 20])

    # These methods help the events above.

    def accept(self) -> None:
        history = self.history
        nights = chosen_nights(history.runs(), last=self.rng.randint(5, 8), first=None, until=None)
        history.accept(nights, by="Ada", at=f"at step {len(self.told)}")

    def outcome(self, day: date) -> Outcome:
        with locked(self.folder, "walk"):
            return run_check(self.check, self.history, day)

    def run(self, day: date) -> None:
        self.note(self.outcome(day))

    def note(self, outcome: Outcome) -> None:
        if outcome.not_stored is None:
            self.stored[outcome.run.number] = outcome.run.date
        baseline = outcome.baseline
        if baseline is None or outcome.run.date <= baseline.nights[-1]:
            return
        comparable = {name for name in self.alarmed if name in outcome.run.judged}
        lost = {name for name in comparable if not outcome.run.judged[name].changed}
        assert not lost or self.as_before(baseline), f"{lost} had an alarm"
        self.alarmed -= lost
        for name in comparable - lost:
            assert any(one.sentence.startswith(outcome.run.judged[name].sentence) for one in outcome.run.remarks)
        if outcome.not_stored is None and outcome.run.date >= max(self.stored.values()):
            self.alarmed |= {name for name, one in outcome.run.judged.items() if one.changed}

    def as_before(self, baseline: Baseline) -> bool:
        """The fake fabric's values are within some percent of each other, or far off: of some three nights that follow each other
        since the baseline, each was near the accepted ones."""
        values: dict[date, float] = {}
        for run in self.history.runs():
            entry = run.entries[0]
            if run.baseline is not None or baseline.has(run.date, run.number):
                value = entry.values.get("victim_throughput")
                values |= {} if value is None else {run.date: value}
        normal = statistics.median(value for day, value in values.items() if day in baseline.nights)
        later = [abs(value / normal - 1) < 0.1 for day, value in sorted(values.items()) if day > baseline.nights[-1]]
        return any(all(later[i : i + 3]) for i in range(len(later) - 2))

    def look(self, before: set[int]) -> None:
        """After a crash a run is there, or it is not."""
        self.stored = {run.number: run.date for run in self.history.runs() if run.number not in before} | {
            number: day for number, day in self.stored.items() if number in before
        }

    def standing_in_last(self, name: str) -> bool:
        """A crash in an acceptance may have made another baseline, of which nothing is known yet."""
        runs, baseline = self.history.runs(), self.history.baseline()
        last = max(runs, key=lambda run: run.number, default=None)
        return last is not None and baseline is not None and last.baseline == baseline.key and name in last.judged

    # Invariants.

    def holds(self) -> None:
        runs, baseline = self.history.runs(), self.history.baseline()
        there = {run.number: run.date for run in runs}
        assert there.items() <= self.stored.items()
        kept = set(sorted({*self.stored.values()})[-10:])  # the least of all lengths
        for number, day in self.stored.items():
            covered = baseline is not None and baseline.covers(day, number)
            assert number in there or not covered, f"run {number} of {day} is in the baseline"
            assert number in there or day not in kept, f"run {number} of {day} is lost"
        self.stored = there
        assert len({run.number for run in runs}) == len(runs)
        assert not self.fabric.held
        assert self.fabric.in_force == BASE
        if baseline is not None:
            assert all(self.has(baseline.nights, there.values()) for baseline in _with_former(baseline))

    def has(self, nights: Any, there: Any) -> bool:
        return set(nights) <= set(there)


def _with_former(baseline: Baseline) -> Iterator[Baseline]:
    yield baseline
    if baseline.former is not None:
        yield baseline.former


@pytest.fixture
def fabric(monkeypatch: pytest.MonkeyPatch) -> FakeFabric:
    fabric = FakeFabric()
    monkeypatch.setattr("tuner.checks.measured.create_backend", fabric.create)
    return fabric


def walks(seed: int, folder: Path, fabric: FakeFabric) -> None:
    fabric.factor = 1.0
    walk = Walk(folder=folder, rng=random.Random(seed), fabric=fabric)
    try:
        for _ in range(STEPS):
            walk.step()
    except BaseException as error:
        error.add_note("\n".join([f"seed {seed}", *walk.told[-30:]]))
        raise


@pytest.mark.long
@pytest.mark.parametrize("seed", range(2))
def test_a_check_survives_what_happens_to_it(seed: int, tmp_path: Path, fabric: FakeFabric) -> None:
    walks(seed, tmp_path, fabric)


@pytest.mark.slow
def test_a_check_survives_long_walks(tmp_path: Path, fabric: FakeFabric) -> None:
    first = random.SystemRandom().randrange(10**9)
    for seed in range(first, first + WALKS):
        (tmp_path / str(seed)).mkdir()
        walks(seed, tmp_path / str(seed), fabric)
