# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Times: UTC everywhere inside, RFC 3339 with milliseconds and `Z` in JSON."""

import re
from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, AwareDatetime, BeforeValidator, PlainSerializer

_RFC_3339 = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)", re.ASCII)


def now() -> datetime:
    """The present, in UTC, to the millisecond: what is stored is what is shown."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def rfc3339(moment: datetime) -> str:
    """`2026-11-22T02:30:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _written(given: object) -> object:
    """Pydantic alone would take seconds since 1970, dates, and times without a zone's colon too."""
    if isinstance(given, datetime) or (isinstance(given, str) and _RFC_3339.fullmatch(given)):
        return given
    raise ValueError("it is not a time as of RFC 3339; 2026-11-22T02:30:00Z would be right")


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except OverflowError:
        raise ValueError("in UTC it is not in the years 1 to 9999") from None


Time: TypeAlias = Annotated[
    AwareDatetime,
    BeforeValidator(_written),
    AfterValidator(_in_utc),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
]
"""A time in a body: any offset is read, UTC is written."""
