# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A port in virtual time."""

import heapq
import itertools
from collections.abc import Callable

from tuner.mads.request import UNANSWERED, Reply, Request


class VirtualPort:
    """`answers_after_s`: seconds until a request's reply, None if there is none, by the request and its number. `lateness_s`:
    what each wait takes longer, as on a busy machine. `loses`: it does not even return what times out. `way`: share of the time
    until a reply after which the request arrives."""

    def __init__(
        self,
        answers_after_s: Callable[[Request, int], float | None],
        *,
        lateness_s: Callable[[], float] = lambda: 0.0,
        loses: bool = False,
        way: Callable[[], float] = lambda: 0.0,
    ) -> None:
        self._answers_after_s, self._lateness_s, self._loses, self._way = answers_after_s, lateness_s, loses, way
        self._coming: list[tuple[float, int, int, Reply]] = []
        self._number = itertools.count()
        self.now_s = 0.0
        self.sent: list[tuple[float, Request]] = []
        self.arrived_s: list[float] = []
        self.most_in_flight = 0

    def clock(self) -> float:
        return self.now_s

    def send(self, request: Request, transaction: int, timeout_s: float) -> None:
        number = next(self._number)
        self.sent.append((self.now_s, request))
        after_s = self._answers_after_s(request, number)
        answered = after_s is not None and after_s < timeout_s
        self.arrived_s.append(self.now_s + self._way() * (after_s if answered and after_s else timeout_s))
        if answered or not self._loses:
            reply = Reply(0, request.data) if answered else UNANSWERED
            heapq.heappush(
                self._coming, (self.now_s + (after_s if answered and after_s else timeout_s), number, transaction, reply)
            )
        self.most_in_flight = max(self.most_in_flight, len(self._coming))

    def receive(self, wait_s: float) -> tuple[int, Reply] | None:
        until_s = self.now_s + wait_s
        if self._coming and self._coming[0][0] <= until_s:
            at_s, _, transaction, reply = heapq.heappop(self._coming)
            self.now_s = max(self.now_s, at_s)
            return transaction, reply
        self.now_s = until_s + self._lateness_s()
        return None
