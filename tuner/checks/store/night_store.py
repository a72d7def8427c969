# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of a check's history, wherever that is."""

from collections.abc import Collection, Mapping
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

    def recorded(self, entry: str) -> Collection[int]:
        """Returns the numbers of the runs that have a record of the entry."""

    def record(self, number: int, entry: str) -> Mapping[str, Any] | None:
        """Returns what a run has recorded of an entry, or with EXPECTED the record of the fabric that a person has adopted as the
        expected one; None if it is not kept. Raises BadInputError for one that cannot be read."""

    def baseline(self) -> Baseline | None:
        """Raises BadInputError for one that cannot be read."""

    def decisions(self) -> Decisions:
        """Returns what people have said about the check. Raises BadInputError if that cannot be read."""
