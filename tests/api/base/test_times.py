# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Times as they are read and written."""

import pytest
from pydantic import TypeAdapter, ValidationError

from api.base.times import Time

TIME: TypeAdapter[Time] = TypeAdapter(Time)


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ("2026-11-22T02:30:00Z", "2026-11-22T02:30:00.000Z"),
        ("2026-11-22t02:30:00z", "2026-11-22T02:30:00.000Z"),
        ("2026-11-22T02:30:00.123456+01:30", "2026-11-22T01:00:00.123Z"),
        ("0001-01-01T00:00:00-23:59", "0001-01-01T23:59:00.000Z"),
    ],
)
def test_any_offset_is_read_and_utc_written(given: str, written: str) -> None:
    assert TIME.dump_python(TIME.validate_python(given), mode="json") == written


@pytest.mark.parametrize(
    "given",
    [
        0,
        1e9,
        "0",
        "1700000000",
        "2026-11-22",
        "2026-11-22T02:30:00",
        "2026-11-22 02:30:00Z",
        "2026-11-22T02:30Z",
        "2026-11-22T02:30:00+0100",
        "2026-11-22T02:30:00Z\n",
        "٢٠٢٦-11-22T02:30:00Z",
        None,
    ],
)
def test_what_rfc_3339_does_not_have_is_refused(given: object) -> None:
    with pytest.raises(ValidationError, match="RFC 3339"):
        TIME.validate_python(given)


@pytest.mark.parametrize("given", ["0001-01-01T00:00:00+00:01", "9999-12-31T23:59:59-00:01"])
def test_what_no_calendar_has_in_utc_is_refused(given: str) -> None:
    with pytest.raises(ValidationError, match="not in the years"):
        TIME.validate_python(given)
