# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Progress of a running campaign, as its listeners are notified of it."""

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


class Listener(Protocol):
    """Called from the coordinating thread; must return soon."""

    def phase(self, phase: Phase, progress: Progress) -> None:
        """A phase begins."""

    def trial(self, record: "TrialRecord", progress: Progress) -> None:
        """A trial of the search is finished and kept."""

    def measured(self, name: str, done: int, total: int) -> None:
        """One more run of a profile outside the search: `done` of the phase's `total` runs so far known."""


class Silent:
    """Nobody watches."""

    def phase(self, phase: Phase, progress: Progress) -> None: ...

    def trial(self, record: "TrialRecord", progress: Progress) -> None: ...

    def measured(self, name: str, done: int, total: int) -> None: ...
