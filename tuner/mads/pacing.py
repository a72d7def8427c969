# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Paces MADs, so that no second has more of them than is allowed."""

import math
from collections import deque

_BURST_SHARE = 0.02
_BELOW = 1.0 - 1e-6
_WHOLE = 1.0 - 1e-9
"""A token, but for the rounding of sums: waiting for less than a clock's step would never end."""


class Pacer:
    """A token bucket: at most `burst` at once, and `limit - burst` a second, so that no time of a second, wherever it begins, has
    more than `limit`. A sender that wakes up some milliseconds late catches up. `limit`: MADs a second, at least 1."""

    def __init__(self, limit: int) -> None:
        self._burst = max(1, math.floor(limit * _BURST_SHARE))
        # With a limit of 1 there is no room for a burst beside a rate: one a second.
        self._per_s = max(1, limit - self._burst) * _BELOW
        self._tokens, self._as_of_s = float(self._burst), -math.inf
        self._last_second: deque[float] = deque()
        self.greatest = 0
        """Most MADs that were sent within any second."""

    def wait_s(self, now_s: float) -> float:
        """Returns the seconds until a MAD may be sent; 0: now."""
        self._refill(now_s)
        return 0.0 if self._tokens >= _WHOLE else (1.0 - self._tokens) / self._per_s

    def sent(self, now_s: float) -> None:
        """Counts a MAD. REQUIRES: `wait_s(now_s)` was 0."""
        self._tokens -= 1.0
        self._last_second.append(now_s)
        while self._last_second[0] <= now_s - 1.0:
            self._last_second.popleft()
        self.greatest = max(self.greatest, len(self._last_second))

    def _refill(self, now_s: float) -> None:
        """The bucket is full at first."""
        if now_s > self._as_of_s:
            if math.isfinite(self._as_of_s):
                self._tokens = min(float(self._burst), self._tokens + (now_s - self._as_of_s) * self._per_s)
            self._as_of_s = now_s
