# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Live progress of a campaign on standard error: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from tuner.campaign.progress import Listener, Phase, Progress, Runs
from tuner.report.text import duration

if TYPE_CHECKING:
    from tuner.campaign.record import TrialRecord

_WORDS = {
    "references": "Measuring the baseline and the expert",
    "search": "Searching",
    "confirmation": "Confirming with fresh seeds",
}

# Without a terminal: a line for each tenth of the trials, but not more often than this.
_LINE_EVERY_S = 10.0


@dataclass(frozen=True)
class Best:
    """The trial that would be recommended now."""

    number: int
    victim_gbps: float | None
    variation_gbps2: float | None


@dataclass(frozen=True, kw_only=True)
class Standing:
    """State of a search, whoever runs it."""

    finished: int
    total: int
    elapsed_s: float
    remaining_s: float | None
    find_best: Callable[[], Best | None]
    """Called only when it is shown: to find it takes a look at all trials."""

    @classmethod
    def of(cls, progress: Progress) -> "Standing":
        return cls(
            finished=progress.finished,
            total=progress.total,
            elapsed_s=progress.elapsed_s,
            remaining_s=progress.remaining_s,
            find_best=lambda: _best(progress),
        )


class Display(Protocol):
    """Display of a search."""

    def phase(self, phase: Phase, standing: Standing) -> None:
        """A phase begins."""

    def trial(self, standing: Standing) -> None:
        """One more trial is finished."""

    def measured(self, name: str, done: int, total: int, remaining_s: float | None) -> None:
        """One more run outside the search, of the profile or the activity `name`."""


@contextmanager
def displayed() -> Iterator[Display]:
    """Its bar, if there is one, is gone at the end."""
    if not sys.stderr.isatty():
        yield _Lines()
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        TextColumn("{task.fields[note]}"),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        yield _Bar(bar)


@contextmanager
def watching() -> Iterator[Listener]:
    """A listener for a campaign that runs here."""
    with displayed() as display:
        yield _Here(display)


class _Here:
    def __init__(self, display: Display) -> None:
        self._display = display

    def phase(self, phase: Phase, progress: Progress) -> None:
        self._display.phase(phase, Standing.of(progress))

    def trial(self, record: "TrialRecord", progress: Progress) -> None:
        self._display.trial(Standing.of(progress))

    def measured(self, name: str, runs: Runs) -> None:
        self._display.measured(name, runs.done, runs.total, runs.remaining_s)


class _Bar:
    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("Opening the backend", total=None, note="")

    def phase(self, phase: Phase, standing: Standing) -> None:
        self._bar.remove_task(self._task)
        searching = phase == "search"
        self._task = self._bar.add_task(
            _WORDS[phase],
            total=standing.total if searching else None,
            completed=standing.finished if searching else 0,
            note=_note(standing) if searching else "",
        )

    def trial(self, standing: Standing) -> None:
        self._bar.update(self._task, completed=standing.finished, note=_note(standing))

    def measured(self, name: str, done: int, total: int, remaining_s: float | None) -> None:
        self._bar.update(self._task, completed=done, total=total, note="; ".join([name, *_left(remaining_s)]))


class _Lines:
    def __init__(self) -> None:
        self._last_s = float("-inf")
        self._tenth = 0

    def phase(self, phase: Phase, standing: Standing) -> None:
        _say(f"{_WORDS[phase]}" + (f", {standing.finished} of {standing.total} trials done" if phase == "search" else ""))
        self._last_s = time.monotonic()

    def trial(self, standing: Standing) -> None:
        tenth, now_s = 10 * standing.finished // standing.total, time.monotonic()
        if standing.finished == standing.total or (tenth > self._tenth and now_s - self._last_s >= _LINE_EVERY_S):
            self._tenth, self._last_s = tenth, now_s
            _say(f"trial {standing.finished} of {standing.total}, {duration(standing.elapsed_s)}, {_note(standing)}")

    def measured(self, name: str, done: int, total: int, remaining_s: float | None) -> None:
        now_s = time.monotonic()
        if now_s - self._last_s >= _LINE_EVERY_S:
            self._last_s = now_s
            _say("; ".join([f"run {done} of {total}", *_left(remaining_s)]))


def _best(progress: Progress) -> Best | None:
    found = progress.best
    if found is None:
        return None
    return Best(found.number, found.candidate.victim_throughput_gbps, found.candidate.treatment_variation_gbps2)


def _note(standing: Standing) -> str:
    """The best so far, and how long it will take."""
    parts = []
    best = standing.find_best()
    if best is None:
        parts.append("nothing feasible yet" if standing.finished else "")
    else:
        victim = "" if best.victim_gbps is None else f"victim {best.victim_gbps:.2f} Gb/s, "
        variation = "" if best.variation_gbps2 is None else f"variation {best.variation_gbps2:.3g} Gb²/s²"
        parts.append(f"best: trial {best.number}, {victim}{variation}")
    if standing.finished < standing.total:
        parts += _left(standing.remaining_s)
    return "; ".join(part for part in parts if part)


def _left(remaining_s: float | None) -> list[str]:
    return [] if not remaining_s else [f"about {duration(round(remaining_s))} left"]


def _say(sentence: str) -> None:
    print(f"ibcc: {sentence}", file=sys.stderr, flush=True)
