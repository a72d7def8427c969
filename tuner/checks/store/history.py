# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The history of a check: a folder with a file for each run, and the baseline.

A crash at any point leaves a run or nothing. Runs are numbered, so that their order does not depend on the clock; a
night's date is in its file's name. Only a process that holds the lock (`tuner.checks.store.lock`) writes.
"""

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

from tuner.atomic_file import remove_unfinished, write_atomically
from tuner.checks.decisions import Decisions
from tuner.checks.store.baseline import Baseline, accepted_baseline
from tuner.checks.store.good_nights import kept_records, old_runs
from tuner.checks.store.night_run import NightRun
from tuner.checks.store.records import EXPECTED, Records
from tuner.document_base.yaml_core import read_text
from tuner.errors import BadInputError

KEEP_NIGHTS = 400
"""Nights that a history keeps, if nothing else is said: more than a year, which is what a false alarm's chance is stated for."""

_DOCUMENT = "document"
_NAME = re.compile(r"(?P<date>\d{4}-\d{2}-\d{2})\.(?P<number>\d{6,})\.json")


class History:
    """One check's: `folder`/NAME. `keep_nights`, at least 1: older nights are removed, except those of the baseline and of the
    former one."""

    def __init__(self, folder: Path, check: str, *, keep_nights: int = KEEP_NIGHTS) -> None:
        self.folder, self._check = folder / check, check
        self._records = Records(self.folder)
        self._keep_nights = keep_nights

    @property
    def place(self) -> str:
        return str(self.folder)

    @property
    def document(self) -> Path | None:
        """The check's document as it was run last by path; None if it was not, or is not there any more."""
        try:
            path = Path((self.folder / _DOCUMENT).read_text(encoding="utf-8").strip())
        except (OSError, ValueError):
            return None
        return path if path.is_file() else None

    def keep_document(self, path: Path) -> None:
        """Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.folder / _DOCUMENT, f"{path.resolve()}\n")

    def other_of(self, path: Path) -> "History | None":
        """The history of another name in the same folder that has this document, as of a check that was renamed."""
        others = (History(one.parent, one.name) for one in sorted(self.folder.parent.glob("*/")) if one != self.folder)
        return next((one for one in others if one.document == path.resolve() and one.latest_date() is not None), None)

    def runs(self) -> list[NightRun]:
        """Returns all runs by their dates, those of one date by their numbers. Raises BadInputError for a file that is none,
        and for one that another program removes meanwhile."""
        return [_read(night, number, path) for night, number, path in self._files()]

    def latest_date(self) -> date | None:
        files = self._files()
        return files[-1][0] if files else None

    def add(self, run: NightRun, records: Mapping[str, Mapping[str, Any]] | None = None) -> NightRun:
        """Stores a run, gives it its number, and removes nights that are too old. `records`: by entry. Raises OSError, and then
        it is not stored."""
        self.folder.mkdir(parents=True, exist_ok=True)
        remove_unfinished(self.folder)
        number = 1 + self._last_number()
        numbered = replace(run, number=number)
        for entry, record in (records or {}).items():
            self._records.add(number, entry, record)
        write_atomically(self.folder / f"{run.date.isoformat()}.{number:06d}.json", numbered.to_text())
        self._remove_old(run.date)
        self._remove_records(numbered)
        return numbered

    def recorded(self, entry: str) -> set[int]:
        return self._records.numbers(entry)

    def baseline(self) -> Baseline | None:
        """Raises BadInputError for a file that is none."""
        path = self.folder / "baseline.json"
        return Baseline.from_text(read_text(path), source=str(path)) if path.exists() else None

    def accept(self, nights: Sequence[date], *, by: str, at: str, only: tuple[str, ...] = ()) -> Baseline:
        """Makes these nights the baseline; the present one becomes the former one. `only`: of these entries and metrics. Raises
        BadInputError if there is none for the others, and OSError."""
        accepted = accepted_baseline(self.baseline(), nights, up_to=self._last_number(), by=by, at=at, only=only)
        write_atomically(self.folder / "baseline.json", accepted.to_text())
        return accepted

    def undo_accept(self) -> Baseline:
        """Puts the former baseline back. Raises BadInputError if there is none, and OSError."""
        present = self.baseline()
        if present is None or present.former is None:
            raise BadInputError(f"check '{self._check}' has no former baseline; there is nothing to undo")
        write_atomically(self.folder / "baseline.json", present.former.to_text())
        return present.former

    def decisions(self) -> Decisions:
        """Raises BadInputError for a file that has none."""
        path = self.folder / "decisions.json"
        return Decisions.from_text(read_text(path), source=str(path)) if path.exists() else Decisions()

    def decide(self, decisions: Decisions) -> None:
        """Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self.folder / "decisions.json", decisions.to_text())

    def adopt(self, decisions: Decisions, records: Mapping[str, Mapping[str, Any]]) -> None:
        """`records`: of the expected fabric, by entry. Raises OSError."""
        self.folder.mkdir(parents=True, exist_ok=True)
        for entry, record in records.items():
            self._records.add(EXPECTED, entry, record)
        self.decide(decisions)

    def record(self, number: int, entry: str) -> Mapping[str, Any] | None:
        """Returns what a run has recorded of an entry; None if it is not kept. Raises BadInputError."""
        return self._records.get(number, entry) if number in self._records.numbers(entry) else None

    @property
    def last_number(self) -> int:
        return self._last_number()

    def _remove_records(self, last: NightRun) -> None:
        """Reads the few runs that have a record, and not the whole history."""
        recorded = {entry.name: self._records.numbers(entry.name) for entry in last.entries}
        numbers = set[int]().union(*recorded.values())
        runs = [_read(night, number, path) for night, number, path in self._files() if number in numbers]
        self._records.keep(kept_records(last, runs, recorded, self.baseline()))

    def _files(self) -> list[tuple[date, int, Path]]:
        """Returns the runs' files by dates, then by numbers. Raises BadInputError for a folder that cannot be read, and for a
        date that is none."""
        try:
            paths = list(self.folder.iterdir())
        except FileNotFoundError:
            return []
        except OSError as error:
            raise BadInputError(f"cannot be read: {error.strerror}", source=str(self.folder)) from error
        return sorted(_numbered(match, path) for path in paths if (match := _NAME.fullmatch(path.name)))

    def _last_number(self) -> int:
        """The run that had it may have been removed; the baseline knows it if that matters."""
        baseline = self.baseline()
        numbers = (number for _, number, _ in self._files())
        return max(0 if baseline is None else baseline.last_number, max(numbers, default=0))

    def _remove_old(self, present: date) -> None:
        """A file that cannot be removed now is tried again with the next run."""
        paths = {(night, number): path for night, number, path in self._files()}
        for run in old_runs(paths.keys(), present, self.baseline(), keep_nights=self._keep_nights):
            with suppress(OSError):
                paths[run].unlink()


def _read(night: date, number: int, path: Path) -> NightRun:
    run = NightRun.from_text(read_text(path), source=str(path))
    if (run.date, run.number) != (night, number):
        raise BadInputError(f"is run {run.number}, of the night of {run.date}; give the file its name back", source=str(path))
    return run


def _numbered(match: re.Match[str], path: Path) -> tuple[date, int, Path]:
    try:
        return date.fromisoformat(match["date"]), int(match["number"]), path
    except ValueError as error:
        raise BadInputError(f"has no date in its name: {error}; move the file elsewhere", source=str(path)) from error
