# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paces MADs, so that no second has more of them than is allowed."""

import math
from collections import deque

_BURST_SHARE = 0.05
_WHOLE = 1.0 - 1e-9
"""A token, but for the rounding of sums: waiting for less than a clock's step would never end."""
_BEYOND_S = 1e-6
"""Time beyond a second that a MAD waits after an earlier one, for the same reason."""


class Pacer:
    """A token bucket, and a log of the last second, so that in no second, wherever it begins, more than `limit` MADs arrive, at
    least 1. Nobody knows when a MAD arrives, but it has done so before its answer is there: those without an answer, and those
    with one of the last second, may arrive within a second with the next one. So the limit holds too where a fabric or this
    machine stalls, and what was sent meanwhile arrives together; not for a MAD that arrives after it has timed out. The bucket
    keeps MADs apart: at most a twentieth of a second's follow each other at once, by which a sender catches up that wakes up
    late."""

    def __init__(self, limit: int) -> None:
        self._limit = max(1, limit)
        self._burst = max(1.0, math.floor(limit * _BURST_SHARE))
        self._tokens, self._as_of_s = self._burst, -math.inf
        self._on_their_way = 0
        self._last_second: deque[float] = deque()
        self.greatest = 0
        """No second has had more MADs than that."""

    def wait_s(self, now_s: float) -> float:
        """Returns the seconds until a MAD may be sent; 0: now, infinite: not before an answer. REQUIRES: `now_s` is not before
        that of an earlier call."""
        if math.isfinite(self._as_of_s):
            self._tokens = min(self._burst, self._tokens + (now_s - self._as_of_s) * self._limit)
        self._as_of_s = now_s
        while self._last_second and self._last_second[0] <= now_s - 1.0:
            self._last_second.popleft()
        for_token_s = 0.0 if self._tokens >= _WHOLE else (1.0 - self._tokens) / self._limit
        if self._near < self._limit:
            return for_token_s
        return max(for_token_s, self._last_second[0] + 1.0 + _BEYOND_S - now_s) if self._last_second else math.inf

    def sent(self) -> None:
        """Counts a MAD. REQUIRES: `wait_s` was 0."""
        self._tokens -= 1.0
        self._on_their_way += 1
        self.greatest = max(self.greatest, self._near)

    def done(self, now_s: float) -> None:
        """A MAD that was sent has its answer, or has timed out."""
        self._on_their_way -= 1
        self._last_second.append(now_s)

    @property
    def _near(self) -> int:
        """MADs that may arrive within a second with the next one."""
        return self._on_their_way + len(self._last_second)
