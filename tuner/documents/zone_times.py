# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Times of day by the clocks of a zone, on days on which these are changed too."""

import re
from datetime import UTC, date, datetime, time
from typing import Annotated, Literal
from zoneinfo import ZoneInfo

from pydantic import AfterValidator

Day = Literal["mon", "tue", "wed", "thu", "fri", "sat", "sun"]
DAYS: tuple[Day, ...] = ("mon", "tue", "wed", "thu", "fri", "sat", "sun")


def _known_zone(name: str) -> str:
    try:
        ZoneInfo(name)
    except (KeyError, ValueError, OSError) as error:
        raise ValueError(f"is '{name}', which is no time zone here; one is Europe/Oslo, another UTC") from error
    return name


Zone = Annotated[str, AfterValidator(_known_zone)]


def _time_of_day(text: str) -> str:
    if not re.fullmatch(r"([01][0-9]|2[0-3]):[0-5][0-9]|24:00", text):
        raise ValueError(f"is '{text}'; it must be a time of day such as 22:00, in quotes")
    return text


TimeOfDay = Annotated[str, AfterValidator(_time_of_day)]


def moment(day: date, at: str, zone: str, *, fold: int) -> datetime:
    """Returns the time `at` (HH:MM) of a day of the zone, in UTC. Where clocks are set forward over it, the time later by as much
    as they are set; where it comes twice, the first with `fold` 0, and the second with 1."""
    hour, minute = (int(part) for part in at.split(":"))
    local = datetime.combine(day, time(hour, minute, fold=fold), tzinfo=ZoneInfo(zone))
    back = local.astimezone(UTC).astimezone(local.tzinfo)
    if back.replace(tzinfo=None) != local.replace(tzinfo=None):
        # With fold 0, a time that clocks skip is taken by the offset before the change, which puts it later.
        local = local.replace(fold=0)
    return local.astimezone(UTC)
