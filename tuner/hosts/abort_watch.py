# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""`abort_if` of an inventory: watch counters and jobs during a measurement, and stop it at a limit."""

import math
import time
from collections import deque
from collections.abc import Callable
from pathlib import Path

from tuner.documents.inventory_abort_if import AbortLimits, WatchedJob
from tuner.errors import NeedsPersonError

_LOOK_S = 1.0
"""Seconds between two readings of the jobs' files."""
_MOST_BYTES = 4096
"""Most bytes that are read of a job's file."""


class AbortError(NeedsPersonError):
    """A limit was passed: nothing more is measured, and a person should look why."""


class AbortWatch:
    """Watches one run, and the time between two. Raises AbortError."""

    def __init__(
        self,
        limits: AbortLimits,
        *,
        monotonic_s: Callable[[], float] = time.monotonic,
        wall_s: Callable[[], float] = time.time,
    ) -> None:
        self._limits, self._monotonic_s, self._wall_s = limits, monotonic_s, wall_s
        self._looked_s = -math.inf
        self._recent: dict[tuple[str, str, str, float], deque[tuple[float, float]]] = {}

    def counted(self, host: str, device: str, name: str, increase: int, length_s: float) -> None:
        """An adapter's counter has risen by `increase` in the last `length_s` seconds."""
        for limit in self._limits.counters:
            if limit.name != name or length_s <= 0:
                continue
            recent = self._recent.setdefault((host, device, name, limit.for_s), deque())
            recent.append((length_s, increase))
            seen_s = sum(part for part, _ in recent)
            while len(recent) > 1 and seen_s - recent[0][0] >= limit.for_s:
                seen_s -= recent.popleft()[0]
            per_s = sum(more for _, more in recent) / seen_s
            if seen_s >= limit.for_s * 0.999 and per_s > limit.at_most_per_s * (1 + 1e-9):
                raise AbortError(
                    f"{name} of {device} on node '{host}' has risen by {per_s:.4g} a second over {seen_s:.3g} s; the inventory's "
                    f"limit is {limit.at_most_per_s:g}"
                )

    def look(self, *, at_once: bool = False) -> None:
        """Reads the jobs' files, once a second at most unless `at_once`."""
        now_s = self._monotonic_s()
        if not at_once and now_s - self._looked_s < _LOOK_S:
            return
        self._looked_s = now_s
        for job in self._limits.jobs:
            self._read(job)

    def _read(self, job: WatchedJob) -> None:
        path, what = Path(job.file), f"job '{job.name}'"
        try:
            with path.open("rb") as stream:
                text = stream.read(_MOST_BYTES).decode(errors="replace").strip()
            age_s = self._wall_s() - path.stat().st_mtime
        except OSError as error:
            raise AbortError(f"{what} cannot be read: {path}: {error.strerror}") from error
        try:
            value = float(text)
        except ValueError:
            value = math.nan
        if math.isnan(value):
            # The error does not quote the file: whoever writes inventories may have no right to read it.
            raise AbortError(f"{what} has {len(text)} characters in {path} that are no number; one number is expected there")
        if age_s > job.max_age_s:
            raise AbortError(f"{what} has written nothing for {age_s:.0f} s; it counts as stuck after {job.max_age_s:g} s")
        if job.at_most is not None and value > job.at_most:
            raise AbortError(f"{what} says {value:g}; the inventory's limit is at most {job.at_most:g}")
        if job.at_least is not None and value < job.at_least:
            raise AbortError(f"{what} says {value:g}; the inventory's limit is at least {job.at_least:g}")
