# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
import time
import uuid
from collections.abc import Iterator

import pytest

from api.base import identifiers
from api.base.identifiers import new_id

MS = 1_000_000
BEGIN_NS = 2_000_000_000 * 10**9


def clock(monkeypatch: pytest.MonkeyPatch, *moments_ns: int) -> None:
    left: Iterator[int] = iter(moments_ns)
    monkeypatch.setattr(identifiers, "_newest", 0)
    monkeypatch.setattr(time, "time_ns", lambda: next(left))


def test_it_is_a_uuid_of_version_7_with_the_time_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    clock(monkeypatch, BEGIN_NS + 123 * MS + MS // 2)
    made = uuid.UUID(new_id())
    assert (made.version, made.variant) == (7, uuid.RFC_4122)
    assert made.int >> 80 == 2_000_000_000_123
    assert made.int >> 64 & 0xFFF == 2048


def test_they_sort_by_making_though_the_clock_stands_or_is_set_back(monkeypatch: pytest.MonkeyPatch) -> None:
    later_ns = BEGIN_NS + 60 * 10**9
    clock(monkeypatch, later_ns, later_ns, later_ns - 5 * 10**9, later_ns, later_ns + MS)
    made = [new_id() for _ in range(5)]
    assert made == sorted(made)
    assert len(set(made)) == 5
