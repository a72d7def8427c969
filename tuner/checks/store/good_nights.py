# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Rules that all histories share: which runs are kept, and which of them was good."""

from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any, TypeAlias

from tuner.checks.store.baseline import Baseline
from tuner.checks.store.night_run import NightRun
from tuner.checks.store.night_store import NightStore

Kept: TypeAlias = tuple[date, Mapping[str, Any]]


def good_run(
    entry: str, options: str | None, runs: Sequence[NightRun], recorded: Collection[int], baseline: Baseline | None
) -> NightRun | None:
    """Returns the last run with a record of the entry in which it was good, or which a person accepted since. `options`: digest
    of the entry's options; runs with others do not count. None: all do. `recorded`: numbers of the runs that have a record of
    it."""
    good = [
        run
        for run in runs
        if run.number in recorded
        for entry_run in run.entries
        if (entry_run.name, entry_run.options, entry_run.not_run) == (entry, options or entry_run.options, None)
        and (entry_run.good or (baseline is not None and baseline.accepts(entry, run.date, run.number)))
    ]
    return max(good, key=lambda run: run.number, default=None)


def latest_run(entry: str, options: str | None, runs: Sequence[NightRun], recorded: Collection[int]) -> NightRun | None:
    """Returns the last run with a record of the entry, good or not."""
    numbered = (run for run in runs if run.number in recorded)
    known = [run for run in numbered for one in run.entries if (one.name, one.options) == (entry, options or one.options)]
    return max(known, key=lambda run: run.number, default=None)


def good_record(history: NightStore, entry: str, options: str | None, runs: Sequence[NightRun]) -> Kept | None:
    """Returns the date and the record of good_run, None without one. Raises BadInputError for one that cannot be read."""
    return _kept(history, entry, good_run(entry, options, runs, history.recorded(entry), history.baseline()))


def latest_record(history: NightStore, entry: str, options: str | None, runs: Sequence[NightRun]) -> Kept | None:
    """The same of latest_run."""
    return _kept(history, entry, latest_run(entry, options, runs, history.recorded(entry)))


def _kept(history: NightStore, entry: str, found: NightRun | None) -> Kept | None:
    record = None if found is None else history.record(found.number, entry)
    return None if found is None or record is None else (found.date, record)


def kept_records(
    last: NightRun, runs: Sequence[NightRun], recorded: Mapping[str, Collection[int]], baseline: Baseline | None
) -> dict[str, set[int]]:
    """Returns, for each entry of the last run, the numbers of the runs whose records are kept: the last one, which a person may
    accept yet, and the last good one, with its options and with any. `runs`: at least those that have a record. `recorded`: the
    numbers of these."""
    known = {run.number for run in runs}
    kept: dict[str, set[int]] = {}
    for entry in last.entries:
        numbers = known & set(recorded.get(entry.name, ()))
        good = (good_run(entry.name, options, runs, numbers, baseline) for options in (entry.options, None))
        kept[entry.name] = {max(numbers, default=0), *(run.number for run in good if run is not None)}
    return kept


def old_runs(
    runs: Collection[tuple[date, int]], present: date, baseline: Baseline | None, *, keep_nights: int
) -> list[tuple[date, int]]:
    """Returns the runs, as dates and numbers, of nights that are too old: not among the last so many, nor tonight, nor part of
    the baseline or the former one."""
    kept = {present, *sorted({night for night, _ in runs})[-keep_nights:]}
    return [
        (night, number)
        for night, number in runs
        if night not in kept and not (baseline is not None and baseline.covers(night, number))
    ]
