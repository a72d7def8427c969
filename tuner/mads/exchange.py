# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Sends requests and gathers their replies, several in flight. A device that does not answer keeps no other one waiting.

Time-outs and retries pass through the pacer like all other MADs.
"""

import time
from collections import Counter, deque
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from tuner.mads.pacing import Pacer
from tuner.mads.request import UNANSWERED, Reply, Request

_BACKSTOP_S = 0.5
"""A port returns requests that time out; one that does not do so this long after the time-out has lost the request."""
_SLEEP_S = 0.1
_GIVEN_UP_AFTER = 2
"""Requests in succession that a device leaves unanswered, with all their retries, before it is not asked any more."""


class Port(Protocol):
    """Sends and receives MADs for one process."""

    def send(self, request: Request, transaction: int, timeout_s: float) -> None:
        """Raises OSError."""

    def receive(self, wait_s: float) -> tuple[int, Reply] | None:
        """Returns a transaction with its reply, or UNANSWERED if it has timed out; None after `wait_s`. Raises OSError."""


@dataclass(frozen=True, kw_only=True)
class Manners:
    """`timeout_s`: of each MAD. `retries`: after the first MAD of a request. `in_flight`: requests at most. `gives_up`: whether
    a device that leaves several requests unanswered is not asked any more; without it each request is sent."""

    timeout_s: float = 0.5
    retries: int = 2
    in_flight: int = 256
    gives_up: bool = True


@dataclass
class Tally:
    """MADs that were `sent`, and how many of them `timed_out`."""

    sent: int = 0
    timed_out: int = 0


@dataclass
class _Open:
    index: int
    tries: int
    until_s: float = 0.0


class Exchange:
    """Serves one batch of requests after the other on a port, all under one pacer."""

    def __init__(
        self, port: Port, pacer: Pacer, manners: Manners | None = None, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._port, self._pacer, self._manners, self._clock = port, pacer, manners or Manners(), clock
        self._transaction = 0
        self._open: dict[int, _Open] = {}
        self._silent: Counter[int] = Counter()
        self.tally = Tally()

    def run(self, requests: Sequence[Request]) -> Iterator[tuple[int, Reply]]:
        """Yields the index of each request with its reply, in the order in which replies come. Raises OSError."""
        waiting = deque(_Open(index, 0) for index in range(len(requests)))
        while waiting or self._open:
            now_s = self._clock()
            yield from self._expired(requests, waiting, now_s)
            pause_s = self._pacer.wait_s(now_s)
            if waiting and len(self._open) < self._manners.in_flight:
                if self._is_given_up(requests[waiting[0].index]):
                    yield waiting.popleft().index, UNANSWERED
                    continue
                if pause_s == 0.0:
                    self._send(requests, waiting.popleft(), now_s)
                    continue
            else:
                pause_s = _SLEEP_S
            received = self._port.receive(min([pause_s, _SLEEP_S, *self._next_expiry(now_s)]))
            if received is not None:
                yield from self._received(requests, waiting, *received)

    def _send(self, requests: Sequence[Request], one: _Open, now_s: float) -> None:
        self._transaction = self._transaction % 0xFFFFFFFF + 1
        one.tries += 1
        one.until_s = now_s + self._manners.timeout_s + _BACKSTOP_S
        self._pacer.sent()
        self.tally.sent += 1
        self._port.send(requests[one.index], self._transaction, self._manners.timeout_s)
        self._open[self._transaction] = one

    def _received(
        self, requests: Sequence[Request], waiting: deque[_Open], transaction: int, reply: Reply
    ) -> Iterator[tuple[int, Reply]]:
        one = self._open.pop(transaction, None)
        if one is None:
            return  # late: it has been given up
        self._pacer.done(self._clock())
        if reply.status is None:
            yield from self._timed_out(requests, waiting, one)
            return
        self._silent.pop(requests[one.index].lid, None)
        yield one.index, reply

    def _timed_out(self, requests: Sequence[Request], waiting: deque[_Open], one: _Open) -> Iterator[tuple[int, Reply]]:
        self.tally.timed_out += 1
        if one.tries <= self._manners.retries:
            waiting.append(one)  # behind the others, which are not kept waiting
            return
        self._silent[requests[one.index].lid] += 1
        yield one.index, UNANSWERED

    def _expired(self, requests: Sequence[Request], waiting: deque[_Open], now_s: float) -> Iterator[tuple[int, Reply]]:
        """Requests are in the order in which they were sent, so the first ones expire first."""
        while self._open:
            transaction, one = next(iter(self._open.items()))
            if one.until_s > now_s:
                return
            del self._open[transaction]
            self._pacer.done(now_s)
            yield from self._timed_out(requests, waiting, one)

    def _next_expiry(self, now_s: float) -> list[float]:
        return [max(0.0, next(iter(self._open.values())).until_s - now_s)] if self._open else []

    def _is_given_up(self, request: Request) -> bool:
        return self._manners.gives_up and self._silent[request.lid] >= _GIVEN_UP_AFTER
