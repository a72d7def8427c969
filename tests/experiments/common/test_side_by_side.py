# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Long pieces of work at once: their order, their progress, and how they end."""

import time
from collections.abc import Callable

import pytest

from experiments._common.side_by_side import side_by_side
from tuner.errors import InterruptedRunError

Told = Callable[[float], None]
ShouldStop = Callable[[], bool]


def test_results_are_in_the_order_of_the_items_and_progress_is_their_mean() -> None:
    done: list[float] = []

    def work(item: int, told: Told, should_stop: ShouldStop) -> int:
        time.sleep(0.02 * (3 - item))  # so that the last is done first
        told(0.5)
        return 10 * item

    assert side_by_side(work, [1, 2, 3], workers=3, on_progress=done.append) == [10, 20, 30]
    assert done == sorted(done)
    assert done[0] == pytest.approx(0.5 / 3)
    assert done[-1] == pytest.approx(1.0)


def test_what_fails_stops_the_others_at_once_and_what_has_not_begun() -> None:
    begun: list[str] = []

    def work(item: str, told: Told, should_stop: ShouldStop) -> None:
        begun.append(item)
        if item == "bad":
            raise ValueError(item)
        deadline = time.monotonic() + 120
        while not should_stop() and time.monotonic() < deadline:
            time.sleep(0.01)
        raise InterruptedRunError("stopped")

    began = time.monotonic()
    with pytest.raises(ValueError, match="bad"):
        side_by_side(work, ["long", "bad", *"abcdefgh"], workers=2)
    assert time.monotonic() - began < 60
    assert len(begun) < 6
