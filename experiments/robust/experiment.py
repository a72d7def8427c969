# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Recommended profiles of searches over device models and fan-in, against published, suggested and single-model ones."""

from collections.abc import Callable, Sequence
from dataclasses import asdict, replace
from itertools import product
from pathlib import Path
from typing import NamedTuple

from experiments._common.findings import Findings
from experiments._common.kept_folder import kept_folder
from experiments._common.side_by_side import side_by_side
from experiments.registry import Experiment, Options
from experiments.robust import front, tables
from experiments.robust.claims import SEEDS, claims
from experiments.robust.compare import Compared, compare, write_rows
from experiments.robust.goals import GOALS, Goal
from experiments.robust.searches import find
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE

QUICK = replace(GOALS["scenario-1"], searched=(2, 4), compared=(2, 3, 4), trials=8)
SEARCH_PART, COMPARE_PART = 0.7, 0.9
"""About the part of the time after which the searches, and the comparison, are finished."""
ROWS = "rows.csv"


class Job(NamedTuple):
    """One goal from one seed."""

    place: int
    """Among all jobs."""
    goal: Goal
    seed: int


def run(options: Options) -> Findings:
    if options.quick:
        return run_on([QUICK], SEEDS[:1], options)
    return run_on([goal for goal in GOALS.values() if options.fabric is not None or not goal.needs_fabric], SEEDS, options)


def run_on(goals: Sequence[Goal], seeds: Sequence[int], options: Options) -> Findings:
    """Finished searches and runs are kept in the folder, and rows.csv there has the rows of the goals that are finished."""
    jobs = [Job(place, goal, seed) for place, (seed, goal) in enumerate(product(seeds, goals))]
    finished: dict[int, tuple[Compared, front.Front | None]] = {}
    with kept_folder(options.folder, "searches") as folder:

        def work(job: Job, told: Callable[[float], None], should_stop: Callable[[], bool]) -> None:
            finished[job.place] = _finished(job, folder, options.fabric, told, should_stop)
            write_rows([finished[place][0] for place in sorted(finished)], folder / ROWS)

        side_by_side(work, jobs, workers=options.workers, on_progress=options.on_progress)
    compared = [finished[place][0] for place in sorted(finished)]
    fronts = [here for _, here in finished.values() if here is not None]
    figures = {"worst": tables.worst_figure(compared)}
    if fronts:
        figures["front"] = front.drawn(fronts[0], asked=1 - CONTRIBUTORS_SHARE)
    return Findings(
        claims=claims(compared),
        tables=[tables.worst_table(compared), *(tables.front_table(here) for here in fronts[:1])],
        figures=figures,
        data={
            "cells": [asdict(cell) | {"short": cell.short} for comparison in compared for cell in comparison.cells],
            "profiles": [
                {"goal": one.goal.name, "seed": one.seed, "name": name, "origin": one.origin, "profile": profile.to_dict()}
                for one in compared
                for name, profile in one.profiles.items()
            ],
            "fronts": [asdict(here) for here in fronts],
        },
    )


def _finished(
    job: Job, folder: Path, fabric: Path | None, told: Callable[[float], None], should_stop: Callable[[], bool]
) -> tuple[Compared, front.Front | None]:
    goal, seed = job.goal, job.seed
    found = find(
        goal, seed, folder, fabric=fabric, on_progress=lambda fraction: told(SEARCH_PART * fraction), should_stop=should_stop
    )
    kept, rest = folder / goal.name, COMPARE_PART - SEARCH_PART
    compared = compare(found, kept, workers=1, on_progress=lambda fraction: told(SEARCH_PART + rest * fraction))
    if goal.name != front.GOAL:
        return compared, None
    return compared, front.front(
        found, kept, workers=1, on_progress=lambda fraction: told(COMPARE_PART + (1 - COMPARE_PART) * fraction)
    )


EXPERIMENT = Experiment(
    name="robust",
    question="Does one recommended profile serve models of the devices and numbers of contributors that nobody knows?",
    source="nothing in print",
    minutes=180,
    run=run,
    takes_fabric=True,
)
