# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Pages: a list that changes meanwhile shows nothing twice and leaves nothing out."""

import base64
import json
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import delete, select

from api.base.problems import InvalidInput
from api.database.engine import Database
from api.database.models.audit_entry import AuditEntry
from api.http.pages import Key, PageQuery, paginate, paginate_list
from tests.api.service import Service

START = datetime(2026, 11, 22, tzinfo=UTC)
NEWEST = [Key(AuditEntry.at, descending=True), Key(AuditEntry.id)]


def add(database: Database, numbers: range) -> None:
    """Three entries a second."""
    with database.writing() as session:
        for number in numbers:
            at = START + timedelta(seconds=number // 3, milliseconds=number % 3 // 2)
            session.add(AuditEntry(id=f"{number:04}", at=at, actor="anna", via="test", action="a", object="o"))


def read(database: Database, cursor: str | None, limit: int = 4) -> tuple[list[str], str | None]:
    with database.reading() as session:
        rows, following = paginate(session, select(AuditEntry), NEWEST, PageQuery(limit, cursor))
        return [row.id for row in rows], following


def test_pages_together_are_the_list(database: Database) -> None:
    add(database, range(21))
    with database.reading() as session:
        whole = [e.id for e in session.scalars(select(AuditEntry).order_by(AuditEntry.at.desc(), AuditEntry.id))]
    seen: list[str] = []
    cursor = None
    while True:
        some, cursor = read(database, cursor)
        seen += some
        if cursor is None:
            break
        assert len(some) == 4
    assert seen == whole
    assert len(seen) == 21


def test_rows_that_come_and_go_meanwhile_move_nothing(database: Database) -> None:
    add(database, range(9))
    first, cursor = read(database, None)
    add(database, range(9, 15))
    with database.writing() as session:
        session.execute(delete(AuditEntry).where(AuditEntry.id == first[-1]))
    second, cursor = read(database, cursor)
    third, cursor = read(database, cursor)
    assert cursor is None
    assert sorted(first + second + third) == [f"{number:04}" for number in range(9)]


def test_the_last_page_has_no_next_one(database: Database) -> None:
    add(database, range(4))
    assert read(database, None)[1] is None
    assert read(database, None, limit=3)[1] is not None


def encoded(value: object) -> str:
    return base64.urlsafe_b64encode(json.dumps(value).encode()).decode().rstrip("=")


@pytest.mark.parametrize(
    "cursor",
    [
        "",
        "x",
        "ä",
        "AAAA",
        encoded([]),
        encoded(["2026-11-22T00:00:00Z"]),
        encoded(["2026-11-22T00:00:00", "0001"]),  # without a zone
        encoded(["yesterday", "0001"]),
        encoded([1, "0001"]),
        encoded(["2026-11-22T00:00:00Z", 1]),
        encoded(["2026-11-22T00:00:00Z", None]),
        encoded(["2026-11-22T00:00:00Z", "a\0"]),
        encoded({"a": 1}),
        "W1tb" * 240,
    ],
)
def test_what_is_no_cursor_is_refused(service: Service, cursor: str) -> None:
    with pytest.raises(InvalidInput, match="is not a cursor of this list"):
        read(service.database, cursor)


@pytest.mark.long
@given(st.lists(st.text(min_size=1), unique=True), st.integers(1, 5))
def test_lists_that_are_not_in_the_database(names: list[str], limit: int) -> None:
    seen: list[str] = []
    cursor = None
    while True:
        some, cursor = paginate_list(names, str, PageQuery(limit, cursor))
        seen += some
        if cursor is None:
            break
    assert seen == sorted(names)
