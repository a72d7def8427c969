# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests of what is due, in virtual time: zones change their clocks by odd amounts, clocks jump, and servers sleep."""

from datetime import UTC, date, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from api.services.checks.schedule import LOOK_BACK, PUNCTUAL, Agenda, Schedule, agenda, next_run, night_of
from tuner.documents.zone_times import DAYS, Day

ZONES = ("UTC", "Europe/Oslo", "Australia/Lord_Howe", "America/St_Johns", "Pacific/Apia", "Africa/Casablanca")
NEVER = datetime(2000, 1, 1, tzinfo=UTC)

schedules = st.builds(
    lambda hour, minute, zone, days, late: Schedule(at=f"{hour:02}:{minute:02}", zone=zone, days=days, late_by_h=late),
    st.integers(0, 23),
    st.integers(0, 59),
    st.sampled_from(ZONES),
    st.lists(st.sampled_from(DAYS), min_size=1, max_size=7, unique=True).map(tuple),
    st.floats(0, 23),
)
moments = st.datetimes(datetime(2011, 6, 1), datetime(2027, 6, 1)).map(lambda moment: moment.replace(tzinfo=UTC))


def oslo(at: str = "02:17", **more: object) -> Schedule:
    return Schedule.model_validate({"at": at, "zone": "Europe/Oslo"} | more)


@pytest.mark.parametrize(
    ("zone", "at", "night", "utc"),
    [
        ("Europe/Oslo", "02:17", date(2026, 1, 10), "2026-01-10T01:17"),
        ("Europe/Oslo", "02:17", date(2026, 3, 29), "2026-03-29T01:17"),  # there is no 02:17; it is 03:17 then
        ("Europe/Oslo", "02:17", date(2026, 10, 25), "2026-10-25T00:17"),  # there are two; the first
        ("Australia/Lord_Howe", "02:10", date(2026, 10, 4), "2026-10-03T15:40"),  # half an hour is left out: 02:40
        ("Australia/Lord_Howe", "01:45", date(2026, 4, 5), "2026-04-04T14:45"),  # half an hour comes twice
        ("America/St_Johns", "00:30", date(2011, 3, 13), "2011-03-13T04:00"),  # clocks changed at 00:01
        ("Pacific/Apia", "02:17", date(2011, 12, 30), "2011-12-30T12:17"),  # a day that there was not
    ],
)
def test_the_time_of_a_night(zone: str, at: str, night: date, utc: str) -> None:
    assert Schedule(at=at, zone=zone).planned(night) == datetime.fromisoformat(utc).replace(tzinfo=UTC)


@settings(max_examples=150, deadline=None)
@given(schedules, moments)
def test_every_night_is_planned_once_and_later_than_the_one_before(schedule: Schedule, moment: datetime) -> None:
    today = moment.astimezone(ZoneInfo(schedule.zone)).date()
    times = [schedule.planned(today + timedelta(days=n)) for n in range(10)]
    assert times == sorted(times)
    for n, at in enumerate(times):
        local = at.astimezone(ZoneInfo(schedule.zone))
        late = local.replace(tzinfo=None) - datetime.combine(today + timedelta(days=n), datetime.min.time())
        asked = timedelta(hours=int(schedule.at[:2]), minutes=int(schedule.at[3:]))
        assert timedelta(0) <= late - asked <= timedelta(days=1), (local, schedule.at)  # a day: Apia


@pytest.mark.long
@settings(max_examples=150, deadline=None)
@given(schedules, moments, st.data())
def test_whatever_the_clock_does_no_night_is_run_twice_and_none_is_forgotten(
    schedule: Schedule, start: datetime, data: st.DataObject
) -> None:
    """A server that looks now and then, whose clock jumps, and which sleeps for days."""
    now, latest, runs, missed = start, start, dict[date, datetime](), set[date]()
    for _ in range(data.draw(st.integers(1, 12))):
        now += timedelta(hours=data.draw(st.integers(-72, 240)), minutes=data.draw(st.integers(0, 59)))
        latest = max(latest, now)
        todo = agenda(schedule, start, set(runs), missed, now)
        for one in todo.missed:
            assert one.night not in runs
            assert one.night not in missed
            assert one.planned_at == schedule.planned(one.night) < now
            missed.add(one.night)
        if todo.run is not None:
            assert todo.run.night not in runs
            assert schedule.planned(todo.run.night) <= now <= todo.run.latest_at
            assert todo.run.late == (now - schedule.planned(todo.run.night) > PUNCTUAL)
            missed.discard(todo.run.night)
            runs[todo.run.night] = now
        assert agenda(schedule, start, set(runs), missed, now) == Agenda(run=None, missed=())
        assert all(DAYS[night.weekday()] in schedule.days for night in {*runs, *missed})
    first = max(start, latest - LOOK_BACK)
    wanted = {
        night
        for n in range((latest - first).days + 3)
        if DAYS[(night := (first - timedelta(days=1)).date() + timedelta(days=n)).weekday()] in schedule.days
        and first < schedule.planned(night) <= now
    }
    assert wanted <= {*runs, *missed}


@settings(max_examples=150, deadline=None)
@given(schedules, moments)
def test_the_next_run_is_the_next_one_that_is_due(schedule: Schedule, now: datetime) -> None:
    at = next_run(schedule, (), now)
    assert at is not None
    assert now < at <= now + timedelta(days=9)
    before = agenda(schedule, now, (), (), at - timedelta(seconds=1))
    assert before.run is None
    todo = agenda(schedule, now, (), (), at)
    assert todo.run is not None
    assert (todo.run.planned_at, todo.run.late, todo.missed) == (at, False, ())
    later = next_run(schedule, {todo.run.night}, now)
    assert later is not None
    assert later >= at


def test_a_night_is_run_late_within_its_time_and_missed_after_that() -> None:
    schedule = oslo(late_by_h=6)
    since = datetime(2026, 1, 1, 12, tzinfo=UTC)
    planned = datetime(2026, 1, 2, 1, 17, tzinfo=UTC)
    assert agenda(schedule, since, (), (), planned - timedelta(seconds=1)).run is None
    punctual = agenda(schedule, since, (), (), planned + timedelta(seconds=30)).run
    assert punctual is not None
    assert not punctual.late
    late = agenda(schedule, since, (), (), planned + timedelta(hours=6)).run
    assert late is not None
    assert (late.night, late.late) == (date(2026, 1, 2), True)
    over = agenda(schedule, since, (), (), planned + timedelta(hours=6, seconds=1))
    assert over.run is None
    assert [one.night for one in over.missed] == [date(2026, 1, 2)]


def test_nights_before_the_schedule_began_are_not_missed() -> None:
    now = datetime(2026, 1, 2, 13, tzinfo=UTC)
    assert agenda(oslo(), now, (), (), now + timedelta(hours=1)).missed == ()
    assert agenda(oslo(enabled=False), NEVER, (), (), now).missed == ()
    assert agenda(oslo(enabled=False), NEVER, (), (), now).run is None
    assert next_run(oslo(enabled=False), (), now) is None


def test_a_night_that_a_wrong_clock_has_counted_as_missed_is_run_in_its_time() -> None:
    schedule, since = oslo(), datetime(2026, 1, 1, 12, tzinfo=UTC)
    ahead = agenda(schedule, since, (), (), datetime(2026, 1, 20, 12, tzinfo=UTC))
    missed = {one.night for one in ahead.missed}
    assert date(2026, 1, 2) in missed
    right = agenda(schedule, since, (), missed, datetime(2026, 1, 2, 1, 18, tzinfo=UTC))
    assert right.run is not None
    assert right.run.night == date(2026, 1, 2)


def test_years_of_sleep_are_not_told_night_by_night() -> None:
    todo = agenda(oslo(), NEVER, (), (), datetime(2026, 1, 1, 12, tzinfo=UTC))
    assert 60 <= len(todo.missed) <= 64


@pytest.mark.parametrize(("days", "next_day"), [(("mon",), 5), (("thu", "sun"), 1), (DAYS, 31)])
def test_only_its_days(days: tuple[Day, ...], next_day: int) -> None:
    at = next_run(oslo(days=days), (), datetime(2025, 12, 31, 0, tzinfo=UTC))
    assert at is not None
    assert at.day == next_day


def test_a_night_that_a_person_runs_is_todays_in_the_schedules_zone() -> None:
    moment = datetime(2026, 1, 1, 23, 30, tzinfo=UTC)
    assert night_of(None, moment) == date(2026, 1, 1)
    assert night_of(oslo().model_dump(), moment) == date(2026, 1, 2)
