# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Names of jobs and users in what a night has shown: only operators read them, and events, which are the same for everybody,
never have them."""

import json
import re
from collections.abc import Sequence
from typing import Any, TypeVar

from api.access.roles import Role
from tuner.checks.store.night_run import NightRun

T = TypeVar("T")

HIDDEN = "…"


def private_names(run: NightRun) -> tuple[str, ...]:
    return tuple(dict.fromkeys(name for entry in run.entries for name in entry.private if name))


def may_read(role: Role) -> bool:
    return role.covers(Role.OPERATOR)


def without_names(value: T, names: Sequence[str]) -> T:
    """The same JSON document with HIDDEN in place of each of the names, where it stands as a word."""
    if not names:
        return value
    longest_first = sorted(names, key=len, reverse=True)
    pattern = re.compile(rf"(?<![\w-])(?:{'|'.join(re.escape(name) for name in longest_first)})(?![\w-])")
    return _replaced(value, pattern)  # type: ignore[no-any-return]


def run_for(run: NightRun, role: Role) -> NightRun:
    """The run as somebody of that role reads it."""
    names = private_names(run)
    if may_read(role) or not names:
        return run
    document = without_names(json.loads(run.to_text()), names)
    for entry in document["entries"]:
        entry["private"] = []
    return NightRun.from_text(json.dumps(document), source="a run")


def _replaced(value: Any, pattern: re.Pattern[str]) -> Any:
    if isinstance(value, str):
        return pattern.sub(HIDDEN, value)
    if isinstance(value, dict):
        return {key: _replaced(one, pattern) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [_replaced(one, pattern) for one in value]
    return value
