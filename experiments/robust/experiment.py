# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Recommended profiles of searches over device models and fan-in, against published, suggested and single-model ones."""

import threading
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple

from experiments._common.findings import Findings
from experiments._common.kept_folder import kept_folder
from experiments._common.side_by_side import side_by_side
from experiments.registry import Experiment, Options
from experiments.robust import front, tables
from experiments.robust.adversary import Challenged, challenged
from experiments.robust.claims import SEEDS, claims
from experiments.robust.compare import Compared, compare, write_rows
from experiments.robust.goals import GOALS, Goal
from experiments.robust.searches import find
from tuner.campaign.challenge.run import RUNS
from tuner.documents.campaign_scenarios import CONTRIBUTORS_SHARE

QUICK = replace(GOALS["scenario-1"], searched=(2, 4), compared=(2, 3, 4), trials=8)
SEARCH_PART, COMPARE_PART, CHALLENGE_PART = 0.5, 0.7, 0.9
"""About the part of the time after which the searches, the comparison and the challenge are finished."""
QUICK_RUNS = 60
"""Simulations of a challenge."""
ROWS = "rows.csv"


class Job(NamedTuple):
    """One goal from one seed."""

    place: int
    """Among all jobs."""
    goal: Goal
    seed: int


@dataclass(frozen=True, kw_only=True)
class Outcome:
    """One goal from one seed."""

    compared: Compared
    challenged: Challenged
    front: front.Front | None
    """None, unless the experiment draws the front of this goal."""


def run(options: Options) -> Findings:
    if options.quick:
        return run_on([QUICK], SEEDS[:1], options, runs=QUICK_RUNS)
    return run_on([goal for goal in GOALS.values() if options.fabric is not None or not goal.needs_fabric], SEEDS, options)


def run_on(goals: Sequence[Goal], seeds: Sequence[int], options: Options, *, runs: int = RUNS) -> Findings:
    """Finished searches and runs are kept in the folder, and rows.csv there has the rows of the goals that are finished. `runs`:
    of each challenge."""
    jobs = [Job(place, goal, seed) for place, (seed, goal) in enumerate(product(seeds, goals))]
    finished: dict[int, Outcome] = {}
    lock = threading.Lock()
    with kept_folder(options.folder, "searches") as folder:

        def work(job: Job, told: Callable[[float], None], should_stop: Callable[[], bool]) -> None:
            outcome = _finished(job, folder, options.fabric, runs, told, should_stop)
            with lock:  # Jobs end in threads.
                finished[job.place] = outcome
                write_rows([finished[place].compared for place in sorted(finished)], folder / ROWS)

        side_by_side(work, jobs, workers=options.workers, on_progress=options.on_progress)
    return _findings([finished[place] for place in sorted(finished)])


def _findings(outcomes: Sequence[Outcome]) -> Findings:
    compared, all_challenged = [one.compared for one in outcomes], [one.challenged for one in outcomes]
    fronts = [one.front for one in outcomes if one.front is not None]
    figures = {"worst": tables.worst_figure(compared)}
    if fronts:
        figures["front"] = front.drawn(fronts[0], asked=1 - CONTRIBUTORS_SHARE)
    return Findings(
        claims=claims(compared, all_challenged),
        tables=[
            tables.worst_table(compared),
            tables.challenge_table(all_challenged),
            *(tables.front_table(here) for here in fronts[:1]),
        ],
        figures=figures,
        data={
            "cells": [asdict(cell) | {"short": cell.short} for comparison in compared for cell in comparison.cells],
            "profiles": [
                {
                    "goal": comparison.goal.name,
                    "seed": comparison.seed,
                    "name": name,
                    "origin": comparison.origin,
                    "profile": profile.to_dict(),
                }
                for comparison in compared
                for name, profile in comparison.profiles.items()
            ],
            "challenges": [_challenge_json(one) for one in all_challenged],
            "fronts": [asdict(here) for here in fronts],
        },
    )


def _challenge_json(one: Challenged) -> dict[str, Any]:
    found = None if one.found is None else one.found.to_json()
    return {"goal": one.goal, "seed": one.seed, "found": found, "regret": one.regret, "why_not": one.why_not}


def _finished(
    job: Job, folder: Path, fabric: Path | None, runs: int, told: Callable[[float], None], should_stop: Callable[[], bool]
) -> Outcome:
    goal, kept = job.goal, folder / job.goal.name

    def part(begin: float, end: float) -> Callable[[float], None]:
        return lambda fraction: told(begin + (end - begin) * fraction)

    found = find(goal, job.seed, folder, fabric=fabric, on_progress=part(0, SEARCH_PART), should_stop=should_stop)
    return Outcome(
        compared=compare(found, kept, workers=1, on_progress=part(SEARCH_PART, COMPARE_PART)),
        challenged=challenged(found, folder, runs=runs, on_progress=part(COMPARE_PART, CHALLENGE_PART), should_stop=should_stop),
        front=front.front(found, kept, workers=1, on_progress=part(CHALLENGE_PART, 1)) if goal.name == front.GOAL else None,
    )


EXPERIMENT = Experiment(
    name="robust",
    question="Does one recommended profile serve models of the devices and numbers of contributors that nobody knows?",
    source="nothing in print",
    minutes=180,
    run=run,
    takes_fabric=True,
)
