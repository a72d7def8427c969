# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Waiting for measurements while somebody may want to stop."""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import FIRST_COMPLETED, Future, wait

from tuner.campaign.open_backends import Outcome
from tuner.errors import InterruptedRunError

_POLL_S = 0.1


def first_completed(futures: Iterable[Future[Outcome]], should_stop: Callable[[], bool]) -> set[Future[Outcome]]:
    """At least one finished future. Raises InterruptedRunError soon after `should_stop()` is true."""
    futures = list(futures)
    while True:
        if should_stop():
            raise InterruptedRunError("stopped")
        done, _ = wait(futures, timeout=_POLL_S, return_when=FIRST_COMPLETED)
        if done:
            return done


def as_completed(futures: Iterable[Future[Outcome]], should_stop: Callable[[], bool]) -> Iterator[Future[Outcome]]:
    """All futures, each when it is finished. Raises InterruptedRunError soon after `should_stop()` is true."""
    left = set(futures)
    while left:
        done = first_completed(left, should_stop)
        left -= done
        yield from done
