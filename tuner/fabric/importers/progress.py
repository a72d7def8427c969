# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""How far the reading of a text is, for whoever watches it. Importers know nothing of this: numbered_lines() reports."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TypeAlias

OnFraction: TypeAlias = Callable[[float], None]
"""Called with the part of a text that was read, 0 to 1."""

LINES_APART = 4096
"""Lines between two reports."""

_watcher: ContextVar[OnFraction | None] = ContextVar("watcher", default=None)


@contextmanager
def watched_by(on_fraction: OnFraction) -> Iterator[None]:
    """Texts that are read inside report to `on_fraction`, each from 0 to 1."""
    token = _watcher.set(on_fraction)
    try:
        yield
    finally:
        _watcher.reset(token)


def watcher() -> OnFraction | None:
    """Returns the present watcher, if there is one."""
    return _watcher.get()
