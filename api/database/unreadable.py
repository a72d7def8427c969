# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Columns whose value may be unreadable, by a damaged disk or somebody's hand, without keeping other rows from being read.

Such a value is read as an `UnreadableDict`, an `UnreadableList` or `UNREADABLE_TIME`; `unreadable_columns` names them. Columns
that decide who may do what are of the ordinary types: what cannot be read there permits nothing.
"""

from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import JSON, Dialect, inspect
from sqlalchemy.dialects.postgresql import JSONB
from sqlalchemy.types import TypeDecorator, TypeEngine

from api.database.utc_time import UtcTime

UNREADABLE_TIME = datetime(1970, 1, 1, microsecond=1000, tzinfo=UTC)


class UnreadableDict(dict[str, Any]):
    """Stands for a document that cannot be read."""


class UnreadableList(list[Any]):
    """Stands for a list that cannot be read."""


class _Tolerant(TypeDecorator[Any]):
    """Reads what cannot be read as `blank()`."""

    def blank(self) -> Any:
        """Returns what stands for a value that cannot be read; each type below has its own."""
        raise NotImplementedError

    def is_right(self, value: Any) -> bool:
        return True

    def result_processor(self, dialect: Dialect, coltype: object) -> Callable[[Any], Any]:
        read = super().result_processor(dialect, coltype)

        def process(value: Any) -> Any:
            try:
                found = value if read is None else read(value)
            except (ValueError, TypeError, RecursionError):
                return self.blank()
            return found if found is None or self.is_right(found) else self.blank()

        return process


class _TolerantJson(_Tolerant):
    impl = JSON
    expected: type[Any]

    def __init__(self) -> None:
        super().__init__(none_as_null=True)

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        json_type = JSONB if dialect.name == "postgresql" else JSON
        return dialect.type_descriptor(json_type(none_as_null=True))

    def is_right(self, value: Any) -> bool:
        return isinstance(value, self.expected)


class TolerantDict(_TolerantJson):
    """A JSON object."""

    cache_ok = True
    expected = dict

    def blank(self) -> UnreadableDict:
        return UnreadableDict()


class TolerantList(_TolerantJson):
    """A JSON array."""

    cache_ok = True
    expected = list

    def blank(self) -> UnreadableList:
        return UnreadableList()


class TolerantTime(_Tolerant):
    """A time in UTC."""

    cache_ok = True
    impl = UtcTime

    def blank(self) -> datetime:
        return UNREADABLE_TIME


def unreadable_columns(row: Any) -> list[str]:
    """Returns the names of a row's loaded columns that cannot be read."""
    state = inspect(row)
    found = [(name, value) for name, value in state.dict.items() if name in state.mapper.columns]
    return [name for name, value in found if isinstance(value, UnreadableDict | UnreadableList) or value == UNREADABLE_TIME]
