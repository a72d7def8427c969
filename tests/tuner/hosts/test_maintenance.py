# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tuner.document_base.model import build_model
from tuner.documents.inventory_maintenance import MaintenanceWindow
from tuner.documents.zone_times import DAYS
from tuner.errors import BadInputError
from tuner.hosts.maintenance import longest_opening, next_opening, open_until


def window(begin: str, end: str, *, days: list[str] | None = None, zone: str = "UTC") -> MaintenanceWindow:
    return build_model(MaintenanceWindow, {"from": begin, "to": end, "days": days or list(DAYS), "zone": zone})


def utc(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def test_without_windows_it_is_always_open() -> None:
    assert open_until([], utc("2026-03-01 12:00")) == datetime.max.replace(tzinfo=UTC)


def test_a_window_over_midnight_belongs_to_the_day_on_which_it_begins() -> None:
    night = window("22:00", "06:00", days=["fri"])
    assert open_until([night], utc("2026-11-20 21:59")) is None
    assert open_until([night], utc("2026-11-20 22:00")) == utc("2026-11-21 06:00")
    assert open_until([night], utc("2026-11-21 05:59")) == utc("2026-11-21 06:00")
    assert open_until([night], utc("2026-11-21 06:00")) is None
    assert open_until([night], utc("2026-11-21 22:30")) is None
    assert next_opening([night], utc("2026-11-21 06:00")) == utc("2026-11-27 22:00")


def test_one_that_ends_when_it_begins_is_a_whole_day() -> None:
    assert window("00:00", "00:00").on(datetime(2026, 5, 1).date()) == (utc("2026-05-01 00:00"), utc("2026-05-02 00:00"))
    assert window("00:00", "24:00").on(datetime(2026, 5, 1).date()) == (utc("2026-05-01 00:00"), utc("2026-05-02 00:00"))


def test_windows_that_meet_are_one() -> None:
    pair = [window("22:00", "24:00"), window("00:00", "04:00")]
    assert open_until(pair, utc("2026-05-01 23:00")) == utc("2026-05-02 04:00")
    whole = [window("00:00", "24:00", days=["sat"]), window("00:00", "24:00", days=["sun"])]
    assert open_until(whole, utc("2026-11-21 09:00")) == utc("2026-11-23 00:00")


def test_only_a_time_that_is_long_enough_counts() -> None:
    some = [window("22:00", "24:00", days=["fri"]), window("00:00", "04:00", days=["sat"]), window("12:00", "13:00")]
    friday = utc("2026-11-20 09:00")
    assert next_opening(some, friday) == utc("2026-11-20 12:00")
    assert next_opening(some, friday, timedelta(hours=1)) == utc("2026-11-20 12:00")
    assert next_opening(some, friday, timedelta(hours=6)) == utc("2026-11-20 22:00")
    assert next_opening(some, friday, timedelta(hours=6, seconds=1)) is None
    assert longest_opening(some, friday) == timedelta(hours=6)


def test_the_zone_decides_which_day_it_is() -> None:
    tokyo = window("08:00", "09:00", days=["mon"], zone="Asia/Tokyo")
    assert open_until([tokyo], utc("2026-11-22 23:30")) == utc("2026-11-23 00:00")  # a Sunday still in UTC
    honolulu = window("23:00", "23:30", days=["sun"], zone="Pacific/Honolulu")
    assert open_until([honolulu], utc("2026-11-23 09:10")) == utc("2026-11-23 09:30")  # a Monday already


# In Oslo clocks go from 02:00 to 03:00 on 2026-03-29, and from 03:00 back to 02:00 on 2026-10-25.
@pytest.mark.parametrize(
    ("day", "begin", "end", "expected"),
    [
        ("2026-03-28", "22:00", "06:00", ("2026-03-28 21:00", "2026-03-29 04:00")),  # an hour shorter
        ("2026-10-24", "22:00", "06:00", ("2026-10-24 20:00", "2026-10-25 05:00")),  # an hour longer
        ("2026-03-29", "02:30", "05:00", ("2026-03-29 01:30", "2026-03-29 03:00")),  # 02:30 is skipped: 03:30
        ("2026-03-29", "01:00", "02:30", ("2026-03-29 00:00", "2026-03-29 01:30")),
        ("2026-10-25", "02:30", "05:00", ("2026-10-25 01:30", "2026-10-25 04:00")),  # begins with the second 02:30
        ("2026-10-25", "01:00", "02:30", ("2026-10-24 23:00", "2026-10-25 00:30")),  # ends with the first
        ("2026-10-25", "02:15", "02:45", ("2026-10-25 01:15", "2026-10-25 01:45")),  # both the second time
    ],
)
def test_when_clocks_change(day: str, begin: str, end: str, expected: tuple[str, str]) -> None:
    oslo = window(begin, end, zone="Europe/Oslo")
    assert oslo.on(datetime.fromisoformat(day).date()) == (utc(expected[0]), utc(expected[1]))


TIMES = st.times().map(lambda t: f"{t.hour:02}:{t.minute:02}")
NOW = st.datetimes(datetime(2026, 1, 1), datetime(2027, 12, 31), timezones=st.just(UTC))
ZONES = st.sampled_from(["UTC", "Europe/Oslo", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu"])


@settings(max_examples=60)
@given(TIMES, TIMES, st.sets(st.sampled_from(DAYS), min_size=1), ZONES, NOW)
def test_it_is_open_just_when_the_clock_on_the_wall_says_so(
    begin: str, end: str, days: set[str], zone: str, now: datetime
) -> None:
    own = window(begin, end, days=sorted(days), zone=zone)
    local = now.astimezone(ZoneInfo(zone))
    # Near a change of clocks the clock on the wall does not tell.
    offsets = {(now + timedelta(hours=h)).astimezone(ZoneInfo(zone)).utcoffset() for h in range(-49, 50, 7)}
    if len(offsets) > 1:
        return
    today, yesterday = DAYS[local.weekday()], DAYS[local.weekday() - 1]
    clock = f"{local.hour:02}:{local.minute:02}"
    if begin < end:
        expected = today in days and begin <= clock < end
    else:
        expected = (today in days and clock >= begin) or (yesterday in days and clock < end)
    until = open_until([own], now)
    assert (until is not None) == expected
    if until is not None:
        assert until > now
    else:
        opening = next_opening([own], now)
        assert opening is not None
        assert now < opening <= now + timedelta(days=7, hours=1)
        assert open_until([own], opening) is not None


@pytest.mark.parametrize(
    ("values", "sentence"),
    [
        ({"from": "25:00", "to": "06:00"}, "is '25:00'; it must be a time of day such as 22:00"),
        ({"from": "24:00", "to": "06:00"}, "begins at 24:00"),
        ({"from": "22:00", "to": "06:00", "zone": "Europe/Atlantis"}, "'Europe/Atlantis', which is no time zone"),
        ({"from": "22:00", "to": "06:00", "zone": "../../etc/passwd"}, "which is no time zone"),
        ({"from": "22:00", "to": "06:00", "days": ["someday"]}, "'someday'; it must be"),
        ({"from": "22:00"}, "lacks the key 'to'"),
        ({"form": "22:00", "to": "06:00"}, "unknown key 'form'; did you mean 'from'"),
    ],
)
def test_what_makes_no_sense_is_refused(values: dict[str, object], sentence: str) -> None:
    with pytest.raises(BadInputError, match=sentence):
        build_model(MaintenanceWindow, values)
