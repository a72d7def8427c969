# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Alarms with a life: the table of states, and a seeded walk over nights, faults, mutes, repairs, repeated nights and crashes.

After each step of the walk: what is seen has one alarm, which is open unless it is muted; an alarm is told once, and again only
if it is worse, or its mute has ended, or it was said to be repaired; it closes after three nights in which its place was
measured, or by a person's word, and never while it is seen; a repeated night hides nothing; a crash leaves the night or nothing.

`make test-all` walks IBCC_ALARM_WALKS times (200) with new seeds; a failure names its seed.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import date, timedelta
from pathlib import Path

import pytest

from tests.tuner.checks.crashes import Crash, crash_before
from tests.tuner.checks.nights import FIRST
from tuner.checks.alarm import TABLE, Alarm, after
from tuner.checks.alarms import standing_alarms
from tuner.checks.decisions import DecisionKind, Decisions, is_at
from tuner.checks.kind import KINDS
from tuner.checks.observation import Finding, Observation
from tuner.checks.recovery import NIGHTS
from tuner.checks.run_check import Outcome, run_check
from tuner.checks.states import FAIL, KNOWN
from tuner.checks.store.history import History
from tuner.documents.check import Check
from tuner.documents.check_kinds import Tables
from tuner.errors import BadInputError, UnreachableError

WALKS = int(os.environ.get("IBCC_ALARM_WALKS", "200"))
STEPS = 60
PLACES = ("S1/1 – S2/1", "S1/2 – node17 mlx5_0/1", "node4 mlx5_0")
CHECK = Check(ibcc_check=1, name="walk", fabric="two-switch", kinds=(Tables(),))


def test_the_table_leads_from_each_state_to_states_of_its_own() -> None:
    signals = {signal for row in TABLE.values() for signal in row}
    for state, row in TABLE.items():
        assert all(to in TABLE for to, _ in row.values())
        assert after(state, "enough")[0] == "closed"
        assert after(state, "repaired")[0] == "closed"
        for signal in signals:
            _, news = after(state, signal)
            # What is muted or absent is told to nobody, and nothing is news but what is seen.
            assert not news or (signal in ("seen", "worse") and not state.startswith("muted")) or signal == "unmute"


@pytest.mark.parametrize(
    ("what", "place", "is_there"),
    [
        ("S1/1 – S2/1", "S1/1 – S2/1", True),
        ("S2/1 – S1/1", "S1/1 – S2/1", True),
        ("S1/1 - S2/1", "S1/1 – S2/1", True),
        ("S1/1", "S1/1 – S2/1", True),
        ("S1", "S1/1 – S2/1", True),
        ("S1/2", "S1/1 – S2/1", False),
        ("S1/1 – S3/1", "S1/1 – S2/1", False),
        ("node17", "S1/2 – node17 mlx5_0/1", True),
        ("node[01-17]", "S1/2 – node17 mlx5_0/1", True),
        ("node1", "S1/2 – node17 mlx5_0/1", False),
        ("node17 mlx5_0", "S1/2 – node17 mlx5_0/1", True),
        ("tables", "anything", True),
        ("fairness", "anything", False),
        ("node[", "node[", True),
    ],
)
def test_a_place_is_named_as_people_name_it(what: str, place: str, is_there: bool) -> None:
    assert is_at(what, Alarm(subject="tables", code="x", place=place)) is is_there


@pytest.mark.parametrize(
    ("kind", "place", "until", "because", "words"),
    [
        ("mute", "node17", None, "y", "the mute is until None; it must be until a night from 2026-01-01 to 2027-01-02"),
        ("mute", "node17", date(2025, 12, 31), "y", "the mute is until 2025-12-31"),
        ("mute", "node17", date(2028, 1, 1), "y", "the mute is until 2028-01-01"),
        ("gone", "node17", date(2025, 1, 1), "y", "until 2025-01-01, which is before 2026-01-01"),
        ("repaired", " ", None, "y", "the place is ''; it must be a host"),
        ("repaired", "node17", None, "\n", "the reason is ''; it must be a line of text"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(
    kind: DecisionKind, place: str, until: date | None, because: str, words: str
) -> None:
    with pytest.raises(BadInputError) as raised:
        Decisions().with_new(
            kind, place, because=because, by="Ada", at="2026-01-01T00:00:00+00:00", after_run=0, today=FIRST, until=until
        )
    assert words in str(raised.value)


def test_decisions_come_back_as_they_were() -> None:
    made = Decisions().with_new(
        "mute", "node17", because="waits", by="Ada", at="2026-01-01T00:00:00+00:00", after_run=3, today=FIRST, until=FIRST
    )
    assert Decisions.from_text(made.to_text(), source="x") == made
    with pytest.raises(BadInputError, match="has no decisions of a check"):
        Decisions.from_text("{}", source="x")


@dataclass
class Walk:
    """`faults`: levels of the faults that there are, by place. `happened`: how often an alarm had this state or this news."""

    folder: Path
    rng: random.Random
    today: date = FIRST
    faults: dict[str, float] = field(default_factory=dict)
    reachable: bool = True
    happened: Counter[str] = field(default_factory=Counter)
    told: list[str] = field(default_factory=list)

    @property
    def history(self) -> History:
        """As a new process has it."""
        return History(self.folder, "walk", keep_nights=10)

    def observe(self) -> Observation:
        if not self.reachable:
            raise UnreachableError("there is no plugin")
        found = [
            Finding(code="bad", sentence=f"{place} is bad", place=place, evidence="e", next_step="n", level=level)
            for place, level in self.faults.items()
        ]
        return Observation(findings=tuple(found))

    def step(self) -> None:
        events: list[tuple[int, Callable[[], None]]] = [
            (10, self.a_night),
            (3, self.a_fault),
            (3, self.a_repair),
            (2, self.the_same_night),
            (2, self.a_person_repairs),
            (2, self.a_mute),
            (1, self.an_unmute),
            (1, self.a_crash),
            (1, self.an_outage),
        ]
        event = self.rng.choices([event for _, event in events], [weight for weight, _ in events])[0]
        self.told.append(f"{event.__name__} {self.today} {self.faults}")
        event()

    def a_night(self) -> None:
        self.today += timedelta(days=self.rng.choice([1, 1, 1, 2]))
        self.run()

    def a_fault(self) -> None:
        self.faults[self.rng.choice(PLACES)] = float(self.rng.randint(1, 3))

    def a_repair(self) -> None:
        self.faults.pop(self.rng.choice(PLACES), None)

    def the_same_night(self) -> None:
        if self.history.runs():
            self.run()

    def an_outage(self) -> None:
        self.reachable = False
        self.a_night()
        self.reachable = True

    def a_person_repairs(self) -> None:
        self.decide("repaired", self.rng.choice(PLACES))

    def a_mute(self) -> None:
        self.decide("mute", self.rng.choice(PLACES), until=self.today + timedelta(days=self.rng.randint(0, 4)))

    def an_unmute(self) -> None:
        muted = [one for one in self.history.decisions().made if one.kind == "mute"]
        if muted:
            self.history.decide(self.history.decisions().without_mutes(self.rng.choice(muted).what))

    def a_crash(self) -> None:
        self.today += timedelta(days=1)
        before = self.history.runs()
        try:
            with crash_before(self.rng.randrange(12)):
                outcome = run_check(CHECK, self.history, self.today)
        except Crash:
            outcome = None
        after_it = self.history.runs()
        if len(after_it) == len(before):
            return  # nothing of the night is there
        (stored,) = [run for run in after_it if run not in before]
        self.holds(before, replace(outcome, run=stored) if outcome is not None else None, stored.date, stored.alarms or ())

    def decide(self, kind: DecisionKind, place: str, until: date | None = None) -> None:
        kept = self.history
        at = f"{self.today}T12:00:00+00:00"
        decided = kept.decisions().with_new(
            kind, place, because="x", by="Ada", at=at, after_run=kept.last_number, today=self.today, until=until
        )
        kept.decide(decided)

    def run(self) -> None:
        before = self.history.runs()
        outcome = run_check(CHECK, self.history, self.today)
        self.holds(before, outcome, self.today, outcome.run.alarms or ())

    def holds(self, before: list, outcome: Outcome | None, night: date, alarms: "tuple[Alarm, ...]") -> None:  # type: ignore[type-arg]
        stood = {one.key: one for one in standing_alarms([run for run in before if run.date < night])}
        now = {one.key: one for one in alarms}
        assert len(now) == len(alarms)
        decisions = self.history.decisions()
        for place, level in self.faults.items() if self.reachable else ():
            alarm = now[f"tables: bad at {place}"]
            muted = decisions.mute(alarm, night) is not None
            assert alarm.state == ("muted" if muted else "open"), alarm
            assert (alarm.seen, alarm.absent) == (night, 0)
            assert alarm.level is not None
            assert alarm.level >= level
        for key, alarm in now.items():
            self.happened.update((alarm.state, alarm.news))
            self.one_holds(stood.get(key), alarm, decisions, night)
        assert set(stood) <= set(now)
        if outcome is not None:
            run = outcome.run
            failing = [one for one in alarms if one.state == "open"]
            assert (run.state == FAIL.name) == bool(failing and self.reachable), run.headline
            if failing and self.reachable:
                assert run.exit_code == (1 if any(one.news for one in failing) else KNOWN)
            assert run.counts.new == sum(bool(one.news) for one in failing)

    def one_holds(self, stood: Alarm | None, alarm: Alarm, decisions: Decisions, night: date) -> None:
        if stood is None:
            assert alarm.news == ("" if alarm.state != "open" else "new"), alarm
            return
        said = decisions.repaired(alarm, 0) is not None and alarm.opened == night
        if alarm.state == "closed":
            assert alarm.seen < night
            assert alarm.absent >= NIGHTS or alarm.because.startswith("repaired by Ada")
        match alarm.news:
            case "":
                assert alarm.state != "open" or stood.state in ("open", "waiting"), (stood, alarm)
            case "worse":
                assert stood.level is not None
                assert alarm.level is not None
                assert alarm.level > stood.level
            case "its mute has ended":
                assert stood.state.startswith("muted")
                assert decisions.mute(alarm, night) is None
            case "seen again after it was repaired":
                assert said
            case _:
                raise AssertionError(alarm)
        assert alarm.opened <= alarm.seen <= night


@pytest.fixture
def walking(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[int], Counter[str]]:
    def walks(seed: int) -> Counter[str]:
        (tmp_path / str(seed)).mkdir()
        walk = Walk(tmp_path / str(seed), random.Random(seed))
        kind = KINDS.get("tables")
        monkeypatch.setitem(KINDS._variants, "tables", replace(kind, observe=lambda options, night: walk.observe()))
        try:
            for _ in range(STEPS):
                walk.step()
        except BaseException as error:
            error.add_note("\n".join([f"seed {seed}", *walk.told[-30:]]))
            raise
        return walk.happened

    return walks


def test_alarms_live_as_the_table_says(walking: Callable[[int], Counter[str]]) -> None:
    happened = sum((walking(seed) for seed in range(4)), Counter[str]())
    news = {news for row in TABLE.values() for _, news in row.values()} | {"seen again after it was repaired"}
    assert {*TABLE, *news} <= set(happened), "the walk has not been everywhere"


@pytest.mark.slow
def test_alarms_live_long(walking: Callable[[int], Counter[str]]) -> None:
    first = random.SystemRandom().randrange(10**9)
    for seed in range(first, first + WALKS):
        walking(seed)
