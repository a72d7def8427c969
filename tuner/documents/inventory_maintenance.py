# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`maintenance:` of an inventory."""

from datetime import date, datetime, timedelta
from typing import Annotated
from zoneinfo import ZoneInfo

from pydantic import Field, model_validator

from tuner.document_base.model import DocumentModel, ListOf
from tuner.documents.zone_times import DAYS, Day, TimeOfDay, Zone, moment

_AHEAD_DAYS = 8
"""Every window begins at least once a week, and one that begins at a change of the clocks is at most a day late."""


class MaintenanceWindow(DocumentModel):
    """On each of `days`, by the clocks of `zone`. One whose `to` is not after its `from` ends on the next day.

    Where clocks are set forward over a time, the one an hour later is meant. Where a time comes twice, a window begins with the
    second and ends with the first.
    """

    days: Annotated[ListOf[Day], Field(min_length=1)] = DAYS
    """Days on which it begins; without it, every day."""
    from_: Annotated[TimeOfDay, Field(alias="from")]
    to: TimeOfDay
    zone: Zone = "UTC"

    @model_validator(mode="after")
    def _begins_within_a_day(self) -> "MaintenanceWindow":
        if self.from_ == "24:00":
            raise ValueError("begins at 24:00; say 00:00 on the next day")
        return self

    def on(self, day: date) -> tuple[datetime, datetime]:
        """The beginning and the end, in UTC, of the one that begins on a day of its zone."""
        last = day + timedelta(days=1) if self.to <= self.from_ else day
        begin, end = self._at(day, self.from_, fold=1), self._at(last, self.to, fold=0)
        # Both within the hour that comes twice: the second time.
        return (begin, end) if begin < end else (begin, self._at(last, self.to, fold=1))

    def around(self, now: datetime) -> list[tuple[datetime, datetime]]:
        """Those that end after now and begin within about a week."""
        today = now.astimezone(ZoneInfo(self.zone)).date()
        days = [today + timedelta(days=n) for n in range(-2, _AHEAD_DAYS + 1)]
        found = [self.on(day) for day in days if DAYS[day.weekday()] in self.days]
        return [(begin, end) for begin, end in found if begin < end and end > now]

    def _at(self, day: date, text: str, *, fold: int) -> datetime:
        if text == "24:00":
            day, text = day + timedelta(days=1), "00:00"
        return moment(day, text, self.zone, fold=fold)
