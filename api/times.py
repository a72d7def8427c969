# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Times: UTC everywhere inside, RFC 3339 with milliseconds and `Z` in JSON."""

from datetime import UTC, datetime
from typing import Annotated, TypeAlias

from pydantic import AfterValidator, AwareDatetime, PlainSerializer


def now() -> datetime:
    """The present, in UTC, to the millisecond: what is stored is what is shown."""
    moment = datetime.now(UTC)
    return moment.replace(microsecond=moment.microsecond // 1000 * 1000)


def rfc3339(moment: datetime) -> str:
    """`2026-11-22T02:30:00.000Z`."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


Time: TypeAlias = Annotated[
    AwareDatetime,
    AfterValidator(lambda moment: moment.astimezone(UTC)),
    PlainSerializer(rfc3339, return_type=str, when_used="json"),
]
"""A time in a body: any offset is read, UTC is written."""
