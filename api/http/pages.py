# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lists in pages: `{items, next_cursor}`. A cursor holds where the page ended, not how many rows came before, so that rows which
come and go meanwhile are neither shown twice nor left out."""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from typing import Annotated, Any, Generic, TypeAlias, TypeVar

from fastapi import Depends, Query
from pydantic import BaseModel, Field
from sqlalchemy import Select, and_, or_
from sqlalchemy.orm import InstrumentedAttribute, Session

from api.base.problems import InvalidInput
from api.base.times import rfc3339
from api.database.utc_time import UtcTime

T = TypeVar("T")
Row = TypeVar("Row")

DEFAULT_LIMIT = 50
MAX_LIMIT = 200


class Page(BaseModel, Generic[T]):
    """One page of a list."""

    items: list[T]
    next_cursor: str | None = Field(description="Value of `cursor` for the next page; null on the last page.")


@dataclass(frozen=True)
class PageQuery:
    limit: int = DEFAULT_LIMIT
    cursor: str | None = None


def _page_query(
    limit: Annotated[int, Query(ge=1, le=MAX_LIMIT, description="Largest number of items in a page.")] = DEFAULT_LIMIT,
    cursor: Annotated[str | None, Query(max_length=1000, description="`next_cursor` of the previous page.")] = None,
) -> PageQuery:
    return PageQuery(limit, cursor)


Paging: TypeAlias = Annotated[PageQuery, Depends(_page_query)]


@dataclass(frozen=True)
class Key:
    """A column that a list is sorted by. The last key of a list must be unique, and no key may be NULL."""

    column: InstrumentedAttribute[Any]
    descending: bool = False


def paginate(session: Session, query: Select[Row], keys: Sequence[Key], page: PageQuery) -> tuple[list[Row], str | None]:
    """The rows of one page and the next cursor. Raises InvalidInput for a cursor that is not one of this list's."""
    if page.cursor is not None:
        query = query.where(_after(keys, _decode(page.cursor, keys)))
    query = query.order_by(*(key.column.desc() if key.descending else key.column.asc() for key in keys))
    rows = list(session.scalars(query.limit(page.limit + 1)).unique())
    if len(rows) <= page.limit:
        return rows, None
    rows = rows[: page.limit]
    return rows, _encode([getattr(rows[-1], key.column.key) for key in keys])


def paginate_list(items: Sequence[T], key: Callable[[T], str], page: PageQuery) -> tuple[list[T], str | None]:
    """As paginate(), of items that are not in the database, sorted by `key`, which is unique."""
    after = None if page.cursor is None else _decode_values(page.cursor, 1)[0]
    if after is not None and not isinstance(after, str):
        raise _not_a_cursor(page.cursor)
    ordered = sorted((item for item in items if after is None or key(item) > after), key=key)
    chosen = ordered[: page.limit]
    return chosen, _encode([key(chosen[-1])]) if len(ordered) > page.limit else None


def contains(part: str | None, *texts: str) -> bool:
    """Whether one of the texts contains `part`, in whatever case; True for None."""
    return part is None or any(part.lower() in text.lower() for text in texts)


def _after(keys: Sequence[Key], values: Sequence[Any]) -> Any:
    """(a, b) > (x, y) spelled out, for keys of either direction."""
    ways = []
    for index, key in enumerate(keys):
        same = [earlier.column == value for earlier, value in zip(keys[:index], values, strict=False)]
        beyond = key.column < values[index] if key.descending else key.column > values[index]
        ways.append(and_(*same, beyond))
    return or_(*ways)


def _encode(values: Sequence[Any]) -> str:
    plain = [rfc3339(one) if isinstance(one, datetime) else one.isoformat() if isinstance(one, date) else one for one in values]
    return base64.urlsafe_b64encode(json.dumps(plain, separators=(",", ":")).encode()).decode().rstrip("=")


def _decode(cursor: str, keys: Sequence[Key]) -> list[Any]:
    values = _decode_values(cursor, len(keys))
    decoded: list[Any] = []
    for key, value in zip(keys, values, strict=True):
        kind = datetime if isinstance(key.column.type, UtcTime) else key.column.type.python_type
        try:
            if kind is datetime:
                decoded.append(datetime.fromisoformat(value))
                decoded[-1].astimezone(UTC)
            elif kind is date:
                decoded.append(date.fromisoformat(value))
            elif isinstance(value, kind) or (kind is float and isinstance(value, int)):
                decoded.append(value)
            else:
                raise TypeError
        except (TypeError, ValueError, OverflowError):
            raise _not_a_cursor(cursor) from None
        if isinstance(decoded[-1], datetime) and decoded[-1].tzinfo is None:
            raise _not_a_cursor(cursor)
        if isinstance(decoded[-1], str) and "\0" in decoded[-1]:
            raise _not_a_cursor(cursor)
        if isinstance(decoded[-1], int) and abs(decoded[-1]) >= 2**63:
            raise _not_a_cursor(cursor)
    return decoded


def _decode_values(cursor: str, count: int) -> list[Any]:
    try:
        values = json.loads(base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True))
    except (binascii.Error, ValueError, RecursionError):
        raise _not_a_cursor(cursor) from None
    if not isinstance(values, list) or len(values) != count:
        raise _not_a_cursor(cursor)
    return values


def _not_a_cursor(cursor: str | None) -> InvalidInput:
    return InvalidInput.of_field(
        "cursor", f"{cursor!r:.60} is not a cursor of this list; next_cursor of the previous page would be right"
    )
