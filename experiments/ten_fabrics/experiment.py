# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested profiles against campaigns on ten fabrics."""

import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Lock
from typing import Any

from experiments._common.findings import Findings
from experiments.registry import Experiment, Options
from experiments.ten_fabrics import causes, figure, tables
from experiments.ten_fabrics.beds import BEDS
from experiments.ten_fabrics.claims import claims
from experiments.ten_fabrics.compare import HOME, Compared, compare
from experiments.ten_fabrics.ground import Bed, Ground
from experiments.ten_fabrics.searches import Found, find

REPLICATES, QUICK_REPLICATES, QUICK_TRIALS = 5, 2, 8
SEARCH_PART = 0.6
"""About the part of the time that the campaigns take."""


def run(options: Options) -> Findings:
    return run_on(BEDS, options)


def run_on(beds: Sequence[Bed], options: Options) -> Findings:
    with _folder(options.folder) as folder:
        compared = compare_on(beds, folder, options)
        why = [] if options.quick else causes.tables(compared, folder, workers=options.workers)
        return Findings(
            claims=claims(compared),
            tables=[*tables.tables(compared), *why],
            figures=figure.figures(compared),
            data=_data(compared),
        )


def compare_on(beds: Sequence[Bed], folder: Path, options: Options) -> list[Compared]:
    """`folder`: of fabrics and campaigns, which it continues with."""
    grounds = [Ground(bed, folder / bed.name) for bed in beds]
    return compare(
        _search(grounds, folder, options),
        replicates=QUICK_REPLICATES if options.quick else REPLICATES,
        workers=options.workers,
        on_progress=lambda fraction: options.on_progress(SEARCH_PART + (1 - SEARCH_PART) * fraction),
    )


@contextmanager
def _folder(kept: Path | None) -> Iterator[Path]:
    """Yields the folder for fabrics and campaigns; another run continues with one that is kept."""
    if kept is not None:
        yield kept / "campaigns"
        return
    with TemporaryDirectory() as name:
        yield Path(name)


def _search(grounds: Sequence[Ground], folder: Path, options: Options) -> list[Found]:
    """Several campaigns at once: each measures one trial at a time, so that it can be repeated."""
    tell = _Mean(len(grounds), lambda fraction: options.on_progress(SEARCH_PART * fraction))
    trials = QUICK_TRIALS if options.quick else None

    def find_on(place: int) -> Found:
        ground = grounds[place]
        found = find(ground, folder / ground.name / "search", trials=trials, on_progress=lambda done: tell(place, done))
        tell(place, 1.0)
        return found

    with ThreadPoolExecutor(max_workers=options.workers or os.cpu_count()) as pool:
        try:
            return list(pool.map(find_on, range(len(grounds))))
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


class _Mean:
    """Progress of several parts that run at the same time."""

    def __init__(self, parts: int, on_progress: Callable[[float], None]) -> None:
        self._done = [0.0] * parts
        self._on_progress = on_progress
        self._lock = Lock()

    def __call__(self, part: int, fraction: float) -> None:
        with self._lock:
            self._done[part] = fraction
            self._on_progress(sum(self._done) / len(self._done))


def _data(compared: Sequence[Compared]) -> dict[str, Any]:
    return {
        "fabrics": [one.ground.to_json() for one in compared],
        "suggestions": {
            one.ground.name: {
                name: {"profile": suggestion.profile.to_dict(), "reasons": suggestion.reasons, "unknowns": suggestion.unknowns}
                for name, suggestion in one.suggestions.items()
            }
            for one in compared
        },
        "campaigns": {
            one.ground.name: {
                "summary": one.found.result.summary,
                "best": one.best,
                "profile": one.cells[one.best, HOME].profile.to_dict(),
                "trials": [trial.to_json() for trial in one.found.result.trials],
            }
            for one in compared
        },
        "cells": [
            {
                "fabric": one.ground.name,
                "profile": name,
                "where": f"{where}",
                "victims_gbps": cell.victims_gbps(),
                "contributors_gbps": cell.contributors_gbps(),
                **{key: estimate.to_json() for key, estimate in one.judged(name, where).items()},
            }
            for one in compared
            for (name, where), cell in one.cells.items()
        ],
    }


EXPERIMENT = Experiment(
    name="ten_fabrics",
    question="Is a suggested profile as good as what a campaign of 60 trials finds, on fabrics that it was not made from?",
    source="our own",
    minutes=5,
    run=run,
)
