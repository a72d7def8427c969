# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fails a hash that is computed while a transaction that writes is open, in the same request or, outside of one, in the same
thread. A request's parts run in several threads, which share one list of what is open."""

import contextvars
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any, Literal

from argon2 import PasswordHasher

_open: contextvars.ContextVar[list[object] | None] = contextvars.ContextVar("transactions that write", default=None)


class HashedWhileWritingError(AssertionError):
    pass


def _require_none_open() -> None:
    if _open.get():
        raise HashedWhileWritingError("a password is hashed while a transaction is open that writes")


class GuardedHasher(PasswordHasher):
    def hash(self, password: str | bytes, *, salt: bytes | None = None) -> str:
        _require_none_open()
        return super().hash(password, salt=salt)

    def verify(self, hash: str | bytes, password: str | bytes) -> Literal[True]:
        _require_none_open()
        return super().verify(hash, password)


def noted(writing: Callable[..., AbstractContextManager[Any]]) -> Callable[..., AbstractContextManager[Any]]:
    """Returns `Database.writing`, which notes that its transaction is open."""

    @contextmanager
    def both(self: Any, **options: Any) -> Iterator[Any]:
        if (transactions := _open.get()) is None:
            transactions = []
            _open.set(transactions)
        with writing(self, **options) as session:
            transactions.append(session)
            try:
                yield session
            finally:
                transactions.remove(session)

    return both


def apart(called: Callable[..., Awaitable[None]]) -> Callable[..., Awaitable[None]]:
    """Returns the outermost middleware's `__call__`, which begins a list for each request."""

    async def beginning(self: Any, scope: Any, receive: Any, send: Any) -> None:
        _open.set([])
        await called(self, scope, receive, send)

    return beginning
