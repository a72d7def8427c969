# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""When a check runs: from a schedule and the nights that are known to what is due now, without a clock of its own.

A night is the date, by the clocks of the schedule's zone, on which it is planned. It is the key of what was done, so a clock that
jumps runs no night twice.
"""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from typing import Any, Literal
from zoneinfo import ZoneInfo

from pydantic import BaseModel

from tuner.documents.zone_times import DAYS, Day, moment

PUNCTUAL = timedelta(minutes=5)
"""A night that begins later than that after its time is late."""
LOOK_BACK = timedelta(days=62)
"""Nights that were planned before that are not counted as missed."""
_AHEAD_DAYS = 16
"""Within this many days every schedule has two times, of which the first may be known already."""


class Schedule(BaseModel):
    """A schedule, as it is stored. `late_by_h`: hours after `at` within which a night is still run."""

    enabled: bool = True
    at: str
    zone: str = "UTC"
    days: tuple[Day, ...] = DAYS
    late_by_h: float = 6.0
    when_busy: Literal["wait", "skip"] = "wait"

    @property
    def late_by(self) -> timedelta:
        return timedelta(hours=self.late_by_h)

    def planned(self, night: date) -> datetime:
        """Time of the night, in UTC."""
        return moment(night, self.at, self.zone, fold=0)


@dataclass(frozen=True, kw_only=True)
class Due:
    """Tonight's run. `latest_at`: by then it must have begun."""

    night: date
    planned_at: datetime
    latest_at: datetime
    late: bool


@dataclass(frozen=True, kw_only=True)
class Missed:
    """A night that is over and was not run."""

    night: date
    planned_at: datetime


@dataclass(frozen=True, kw_only=True)
class Agenda:
    run: Due | None
    missed: tuple[Missed, ...]


def agenda(schedule: Schedule, since: datetime, known: Collection[date], missed: Collection[date], now: datetime) -> Agenda:
    """Returns what a check has to do now.

    `since`: when the schedule began; nights planned before it are not its own. `known`: dates of nights that have a run or a job;
    they are done with. `missed`: dates that were counted as missed before. One of these is run after all while it is time, as
    after a clock that was ahead. Of several nights that could be run, the last one is, since what is measured is the present.
    """
    if not schedule.enabled:
        return Agenda(run=None, missed=())
    nights = [night for night in _nights(schedule, max(since, now - LOOK_BACK - schedule.late_by), now) if night not in known]
    before = max((night for night in known if schedule.planned(night) <= now), default=date.min)
    in_time = (night for night in nights if night > before and now <= schedule.planned(night) + schedule.late_by)
    last = max(in_time, default=None)
    over = tuple(Missed(night=night, planned_at=schedule.planned(night)) for night in nights if night not in (*missed, last))
    if last is None:
        return Agenda(run=None, missed=over)
    planned = schedule.planned(last)
    due = Due(night=last, planned_at=planned, latest_at=planned + schedule.late_by, late=now - planned > PUNCTUAL)
    return Agenda(run=due, missed=over)


def next_run(schedule: Schedule, known: Collection[date], now: datetime) -> datetime | None:
    """Returns the time of the next night that is not known yet; None for a schedule that is switched off."""
    if not schedule.enabled:
        return None
    today = _today(schedule, now)
    times = (
        schedule.planned(night)
        for night in (today + timedelta(days=n) for n in range(-1, _AHEAD_DAYS))
        if DAYS[night.weekday()] in schedule.days and night not in known
    )
    return next((at for at in times if at > now), None)


def night_of(schedule: dict[str, Any] | None, now: datetime) -> date:
    """Returns the date of the night that somebody runs now: today's, by the clocks of the schedule's zone."""
    return now.astimezone(ZoneInfo("UTC" if schedule is None else schedule["zone"])).date()


def _nights(schedule: Schedule, since: datetime, now: datetime) -> list[date]:
    """Dates of all nights that are planned after `since`, and not after `now`, ascending."""
    first, last = _today(schedule, since) - timedelta(days=1), _today(schedule, now) + timedelta(days=1)
    nights = (first + timedelta(days=n) for n in range((last - first).days + 1))
    return [night for night in nights if DAYS[night.weekday()] in schedule.days and since < schedule.planned(night) <= now]


def _today(schedule: Schedule, now: datetime) -> date:
    return now.astimezone(ZoneInfo(schedule.zone)).date()
