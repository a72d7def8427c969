# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paces MADs, so that no second has more of them than is allowed."""

import math
from collections import deque

_USED_SHARE = 0.98
"""The rest is for MADs that are delayed on their way, and arrive within one second with later ones."""
_BURST_SHARE = 0.05
_WHOLE = 1.0 - 1e-9
"""A token, but for the rounding of sums: waiting for less than a clock's step would never end."""
_BEYOND_S = 1e-6
"""Time beyond a second that a MAD waits after an earlier one, for the same reason."""


class Pacer:
    """A token bucket, and a log of the last second, so that no second, wherever it begins, has more MADs than `limit`, at least
    1. The bucket keeps them apart: at most a twentieth of a second's MADs follow each other at once, by which a sender
    catches up that wakes up late."""

    def __init__(self, limit: int) -> None:
        self._limit = max(1, math.floor(limit * _USED_SHARE))
        self._burst = max(1.0, math.floor(limit * _BURST_SHARE))
        self._tokens, self._as_of_s = self._burst, -math.inf
        self._last_second: deque[float] = deque()
        self.greatest = 0
        """Most MADs that were sent within any second."""

    def wait_s(self, now_s: float) -> float:
        """Returns the seconds until a MAD may be sent; 0: now. REQUIRES: `now_s` is not before that of an earlier call."""
        if math.isfinite(self._as_of_s):
            self._tokens = min(self._burst, self._tokens + (now_s - self._as_of_s) * self._limit)
        self._as_of_s = now_s
        while self._last_second and self._last_second[0] <= now_s - 1.0:
            self._last_second.popleft()
        for_token_s = 0.0 if self._tokens >= _WHOLE else (1.0 - self._tokens) / self._limit
        is_full = len(self._last_second) >= self._limit
        return max(for_token_s, self._last_second[0] + 1.0 + _BEYOND_S - now_s if is_full else 0.0)

    def sent(self, now_s: float) -> None:
        """Counts a MAD. REQUIRES: `wait_s(now_s)` was 0."""
        self._tokens -= 1.0
        self._last_second.append(now_s)
        self.greatest = max(self.greatest, len(self._last_second))
