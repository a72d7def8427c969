# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Ends a program between any two of its file operations."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

_OPERATIONS = ("open", "write", "fsync", "replace", "unlink")


class Crash(BaseException):
    """The process ends: nothing in the program may catch it."""


@contextmanager
def crash_before(operation: int) -> Iterator[None]:
    """The file operation of that number, counted from 0, and all later ones do not happen; half of the bytes of a write do."""
    count = 0
    with pytest.MonkeyPatch.context() as patch:
        for name in _OPERATIONS:
            original = getattr(os, name)

            def fake(*arguments: Any, original: Any = original, name: str = name, **more: Any) -> Any:
                nonlocal count
                count += 1
                if count > operation:
                    if name == "write" and count == operation + 1:
                        original(arguments[0], arguments[1][: len(arguments[1]) // 2])
                    raise Crash
                return original(*arguments, **more)

            patch.setattr(os, name, fake)
        yield
