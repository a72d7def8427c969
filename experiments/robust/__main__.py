# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs some goals of the experiment from some seeds, in the folder of a whole run, which continues with them."""

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from experiments.registry import Options
from experiments.robust.claims import SEEDS
from experiments.robust.experiment import EXPERIMENT, run_on
from experiments.robust.goals import GOALS
from tuner.campaign.challenge.run import RUNS
from tuner.cli.common import note
from tuner.errors import IbccError


def main(arguments: Sequence[str] | None = None) -> int:
    """Returns the exit code, as `ibcc` has them."""
    parser = argparse.ArgumentParser(prog="python -m experiments.robust", description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument(
        "--goals", nargs="+", choices=GOALS, default=[name for name, goal in GOALS.items() if not goal.needs_fabric]
    )
    parser.add_argument("--seeds", nargs="+", type=int, default=list(SEEDS))
    parser.add_argument("--fabric", type=Path, help="a fabric document, for the goal director")
    parser.add_argument("--workers", type=int, help="goals at once; by default one for each processor")
    parser.add_argument("--trials", type=int, help="trials of each search, instead of the goals'")
    parser.add_argument("--time-scale", type=float, help="part of the workloads' time that each run has, instead of the goals'")
    parser.add_argument("--runs", type=int, default=RUNS, help="simulations of each challenge")
    options = parser.parse_args(arguments)

    def told(fraction: float) -> None:
        print(f"{fraction:4.0%}", file=sys.stderr, end="\r")

    goals = [GOALS[name] for name in options.goals]
    if options.trials is not None:
        goals = [replace(goal, trials=options.trials) for goal in goals]
    if options.time_scale is not None:
        goals = [replace(goal, changes={**goal.changes, "time_scale": options.time_scale}) for goal in goals]
    wanted = Options(folder=options.folder, fabric=options.fabric, workers=options.workers, on_progress=told)
    try:
        findings = run_on(goals, options.seeds, wanted, runs=options.runs)
        for path in findings.write(options.folder, title=EXPERIMENT.name, question=EXPERIMENT.question):
            note(f"wrote {path}")
    except IbccError as error:
        note(str(error))
        return error.exit_code
    return 0


if __name__ == "__main__":
    sys.exit(main())
