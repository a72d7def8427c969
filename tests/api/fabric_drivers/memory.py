# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A fabric's memory for tests, as plain as can be."""

import copy
import threading
from collections.abc import Callable
from typing import Any


class PlainMemory:
    """Survives as long as the object."""

    def __init__(self) -> None:
        self._state: dict[str, Any] = {}
        self._lock = threading.Lock()

    def read(self) -> dict[str, Any]:
        return copy.deepcopy(self._state)

    def change(self, how: Callable[[dict[str, Any]], dict[str, Any]]) -> dict[str, Any]:
        with self._lock:
            self._state = copy.deepcopy(how(copy.deepcopy(self._state)))
            return copy.deepcopy(self._state)
