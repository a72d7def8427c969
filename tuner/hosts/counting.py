# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One flow's bytes over time, from the meters of all its segments, which report at different times, and late."""

from bisect import bisect_right
from dataclasses import dataclass, field


@dataclass
class _Segment:
    start_s: float
    t_s: list[float] = field(default_factory=list)
    total: list[int] = field(default_factory=list)
    ended: bool = False

    @property
    def known_s(self) -> float:
        """Up to when it has told."""
        return float("inf") if self.ended else self.t_s[-1] if self.t_s else self.start_s

    def at(self, t_s: float) -> float:
        """Bytes up to a time, as if they came evenly between two tellings."""
        place = bisect_right(self.t_s, t_s)
        if place == len(self.t_s):
            return float(self.total[-1]) if self.total else 0.0
        before_s, before = (self.t_s[place - 1], self.total[place - 1]) if place else (self.start_s, 0)
        if t_s <= before_s:
            return float(before)
        return before + (self.total[place] - before) * (t_s - before_s) / (self.t_s[place] - before_s)


class FlowCounter:
    """Sums the segments of a flow. Times are the workload's, in seconds."""

    def __init__(self, starts_s: dict[str, float]) -> None:
        """`starts_s`: by segment, when it begins; before that it has no bytes."""
        self._segments = {name: _Segment(start_s) for name, start_s in starts_s.items()}
        self._told_s = float("-inf")
        self._times: set[float] = set()

    def add(self, segment: str, t_s: float, total: int) -> None:
        """A segment has counted `total` bytes up to a time. What goes back in time or in bytes is left out."""
        own = self._segments[segment]
        if own.t_s and (t_s <= own.t_s[-1] or total < own.total[-1]):
            return
        if t_s <= own.start_s:
            return
        own.t_s.append(t_s)
        own.total.append(total)
        if t_s > self._told_s:
            self._times.add(t_s)

    def end(self, segment: str) -> None:
        """Nothing more comes from it."""
        self._segments[segment].ended = True

    @property
    def ended(self) -> bool:
        return all(segment.ended for segment in self._segments.values())

    def take(self) -> list[tuple[float, int]]:
        """(time, bytes of the flow) of all times up to which every segment has reported, each once; never falls."""
        until_s = min(segment.known_s for segment in self._segments.values())
        ready = sorted(t_s for t_s in self._times if t_s <= until_s)
        self._times.difference_update(ready)
        if ready:
            self._told_s = ready[-1]
        return [(t_s, round(sum(segment.at(t_s) for segment in self._segments.values()))) for t_s in ready]
