# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Progress of a running campaign, as its listeners are notified of it."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, Protocol, TypeAlias

if TYPE_CHECKING:  # who only shows progress needs nothing that measures
    from tuner.campaign.record import TrialRecord

Phase: TypeAlias = Literal["references", "search", "confirmation"]


@dataclass(frozen=True, kw_only=True)
class Progress:
    """State of the search at one moment."""

    finished: int
    total: int
    """Trials of the budget."""
    elapsed_s: float
    """Time spent searching, earlier sessions included."""
    time_s: float | None
    """Time of the budget."""
    find_best: "Callable[[], TrialRecord | None]"

    @cached_property
    def best(self) -> "TrialRecord | None":
        """Trial that would be recommended now, before any confirmation. Searched for only when it is first read."""
        return self.find_best()

    @property
    def remaining_s(self) -> float | None:
        """An estimate from the pace so far; None before the first trial."""
        if not self.finished:
            return None
        left = self.elapsed_s / self.finished * (self.total - self.finished)
        return left if self.time_s is None else max(0.0, min(left, self.time_s - self.elapsed_s))


@dataclass(frozen=True, kw_only=True)
class Runs:
    """State of a phase that measures profiles outside the search: the references, or the confirmation."""

    done: int
    total: int
    """Runs that the phase has at least: what it measures next may depend on what it finds."""
    elapsed_s: float
    """Time since the phase began to measure, in this session."""

    @property
    def remaining_s(self) -> float | None:
        """An estimate from the pace so far; None before the first run."""
        return self.elapsed_s / self.done * (self.total - self.done) if self.done else None


class Listener(Protocol):
    """Called from the coordinating thread; must return soon."""

    def phase(self, phase: Phase, progress: Progress) -> None:
        """A phase begins."""

    def trial(self, record: "TrialRecord", progress: Progress) -> None:
        """A trial of the search is finished and kept."""

    def measured(self, name: str, runs: Runs) -> None:
        """One more run of a profile outside the search. `name`: the profile's."""


class Silent:
    """Nobody watches."""

    def phase(self, phase: Phase, progress: Progress) -> None: ...

    def trial(self, record: "TrialRecord", progress: Progress) -> None: ...

    def measured(self, name: str, runs: Runs) -> None: ...


class Tally:
    """Counts the runs of a phase over all that it measures, one after the other, and notifies the listener."""

    def __init__(self, listener: Listener, clock: Callable[[], float] = time.monotonic) -> None:
        self._listener = listener
        self._clock = clock
        self._done = self._asked = self._expected = 0
        self._began_s: float | None = None

    def begin(self, expected: int = 0) -> None:
        """A phase begins. `expected`: runs that it has as far as can be told before, those that the store has included."""
        self._done, self._asked, self._expected, self._began_s = 0, 0, expected, None

    def measure(self, runs: int, *, recalled: int) -> None:
        """So many runs are measured next; `recalled` are known from an earlier session."""
        self._asked += runs
        self._expected = max(0, self._expected - recalled)
        if self._began_s is None:
            self._began_s = self._clock()

    def finished(self, name: str) -> None:
        """One more run is measured."""
        assert self._began_s is not None, "measure() comes first"
        self._done += 1
        total = max(self._asked, self._expected)
        self._listener.measured(name, Runs(done=self._done, total=total, elapsed_s=self._clock() - self._began_s))
