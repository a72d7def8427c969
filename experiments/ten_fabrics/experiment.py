# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Suggested profiles against campaigns on ten fabrics."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from experiments._common.findings import Findings
from experiments._common.kept_folder import kept_folder
from experiments._common.side_by_side import side_by_side
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
    with kept_folder(options.folder, "campaigns") as folder:
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


def _search(grounds: Sequence[Ground], folder: Path, options: Options) -> list[Found]:
    """Several campaigns at once: each measures one trial at a time, so that it can be repeated."""
    trials = QUICK_TRIALS if options.quick else None

    def find_on(ground: Ground, on_progress: Callable[[float], None], should_stop: Callable[[], bool]) -> Found:
        place = folder / ground.name / "search"
        return find(ground, place, trials=trials, on_progress=on_progress, should_stop=should_stop)

    return side_by_side(
        find_on,
        grounds,
        workers=options.workers,
        on_progress=lambda fraction: options.on_progress(SEARCH_PART * fraction),
    )


def _data(compared: Sequence[Compared]) -> dict[str, Any]:
    return {
        "fabrics": [one.ground.to_json() for one in compared],
        "suggestions": {
            comparison.ground.name: {
                name: {"profile": suggestion.profile.to_dict(), "reasons": suggestion.reasons, "unknowns": suggestion.unknowns}
                for name, suggestion in comparison.suggestions.items()
            }
            for comparison in compared
        },
        "campaigns": {
            comparison.ground.name: {
                "summary": comparison.found.result.summary,
                "best": comparison.best,
                "profile": comparison.cells[comparison.best, HOME].profile.to_dict(),
                "trials": [trial.to_json() for trial in comparison.found.result.trials],
            }
            for comparison in compared
        },
        "cells": [
            {
                "fabric": comparison.ground.name,
                "profile": name,
                "where": f"{where}",
                "victims_gbps": cell.victims_gbps(),
                "contributors_gbps": cell.contributors_gbps(),
                **{key: estimate.to_json() for key, estimate in comparison.judged(name, where).items()},
            }
            for comparison in compared
            for (name, where), cell in comparison.cells.items()
        ],
    }


EXPERIMENT = Experiment(
    name="ten_fabrics",
    question="Is a suggested profile as good as what a campaign of 60 trials finds, on fabrics that it was not made from?",
    source="our own",
    minutes=5,
    run=run,
)
