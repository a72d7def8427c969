# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of a check's history, wherever that is."""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any, Protocol

from tuner.checks.decisions import Decisions
from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun


class NightStore(Protocol):
    """The history of one check."""

    @property
    def place(self) -> str:
        """Its place, for people."""

    def runs(self) -> list[NightRun]:
        """Returns all runs by their dates, those of one date by their numbers. Raises BadInputError for one that cannot be
        read."""

    def latest_date(self) -> date | None: ...

    def add(self, run: NightRun, records: Mapping[str, Mapping[str, Any]] | None = None) -> NightRun:
        """Stores a run, gives it its number, and removes nights that are too old. `records`: by entry. Raises OSError, and then
        it is not stored."""

    def good_record(self, entry: str, options: str, runs: Sequence[NightRun]) -> tuple[date, Mapping[str, Any]] | None:
        """Returns the date and the record of the last run in which the entry was good, or which a person accepted since.
        `options`: digest of the entry's options; runs with others do not count. `runs`: those of the history. Raises
        BadInputError."""

    def latest_record(self, entry: str, options: str, runs: Sequence[NightRun]) -> tuple[date, Mapping[str, Any]] | None:
        """The same of the last run, good or not."""

    def baseline(self) -> Baseline | None:
        """Raises BadInputError for one that cannot be read."""

    def decisions(self) -> Decisions:
        """Returns what people have said about the check. Raises BadInputError if that cannot be read."""

    def expected_record(self, entry: str) -> Mapping[str, Any] | None:
        """Returns the record of the fabric that a person has adopted as the expected one; None without any. Raises
        BadInputError."""
