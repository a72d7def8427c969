# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Tests that run at once have different ports, and give them back."""

import itertools
from collections import deque

import pytest

from tests import ports
from tests.ports import COUNT, block


def test_blocks_are_held_as_long_as_somebody_has_them(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ports, "_BLOCKS", range(40_000, 42_000, COUNT))
    monkeypatch.setattr(ports, "_turns", itertools.count())
    monkeypatch.setattr(ports, "_PATIENCE_S", 0.05)
    monkeypatch.setattr(ports, "_recent", deque(maxlen=1))
    one, two = block(), block()
    assert (one.first, two.first) == (40_000, 41_000)
    with pytest.raises(TimeoutError, match="all 2 blocks of ports have been taken"):
        block()
    del one  # the second is the recent one
    assert block().first == 40_000
