# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Live progress of a campaign on standard error: a bar on a terminal, a line now and then elsewhere."""

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bar

from tuner.campaign.progress import Listener, Phase, Progress
from tuner.campaign.record import TrialRecord
from tuner.report.html import duration

_WORDS = {
    "references": "Measuring the baseline and the expert",
    "search": "Searching",
    "confirmation": "Confirming with fresh seeds",
}

# Without a terminal: a line for each tenth of the trials, but not more often than this.
_LINE_EVERY_S = 10.0


@contextmanager
def watching() -> Iterator[Listener]:
    """A listener for a campaign; its bar, if there is one, is gone at the end."""
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


class _Bar:
    def __init__(self, bar: Bar) -> None:
        self._bar = bar
        self._task = bar.add_task("Opening the backend", total=None, note="")

    def phase(self, phase: Phase, progress: Progress) -> None:
        self._bar.remove_task(self._task)
        searching = phase == "search"
        self._task = self._bar.add_task(
            _WORDS[phase],
            total=progress.total if searching else None,
            completed=progress.finished if searching else 0,
            note=_note(progress) if searching else "",
        )

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        self._bar.update(self._task, completed=progress.finished, note=_note(progress))

    def measured(self, name: str, done: int, total: int) -> None:
        self._bar.update(self._task, completed=done, total=total, note=name)


class _Lines:
    def __init__(self) -> None:
        self._last_s = float("-inf")
        self._tenth = 0

    def phase(self, phase: Phase, progress: Progress) -> None:
        _say(f"{_WORDS[phase]}" + (f", {progress.finished} of {progress.total} trials done" if phase == "search" else ""))
        self._last_s = time.monotonic()

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        tenth, now_s = 10 * progress.finished // progress.total, time.monotonic()
        if progress.finished == progress.total or (tenth > self._tenth and now_s - self._last_s >= _LINE_EVERY_S):
            self._tenth, self._last_s = tenth, now_s
            _say(f"trial {progress.finished} of {progress.total}, {duration(progress.elapsed_s)}, {_note(progress)}")

    def measured(self, name: str, done: int, total: int) -> None: ...


def _note(progress: Progress) -> str:
    """The best so far, and how long it will take."""
    parts = []
    if progress.best is None:
        parts.append("nothing feasible yet" if progress.finished else "")
    else:
        best = progress.best.candidate
        victim = "" if best.victim_throughput_gbps is None else f"victim {best.victim_throughput_gbps:.2f} Gb/s, "
        variation = best.treatment_variation_gbps2
        parts.append(f"best: trial {best.number}, {victim}" + ("" if variation is None else f"variation {variation:.3g} Gb²/s²"))
    if progress.remaining_s is not None and progress.finished < progress.total:
        parts.append(f"about {duration(round(progress.remaining_s))} to go")
    return "; ".join(part for part in parts if part)


def _say(sentence: str) -> None:
    print(f"ibcc: {sentence}", file=sys.stderr, flush=True)
