# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Says in which objectives the trials of a search do not differ beyond noise: what is read from their order there is chance.

All trials of a search are measured under the same seeds, so what a seed does to all of them alike is no noise. It is taken off,
as in an analysis of variance with two ways (trials and seeds) and one value in each cell; the rest is noise. The best and the
worst trial differ beyond it if Student's t of their difference says so at 95 %, corrected (Bonferroni) for all pairs among which
these two were found.
"""

import math
from collections.abc import Sequence

from tuner.campaign.evaluation import objective_values
from tuner.campaign.record import TrialRecord
from tuner.campaign.replicates import CONFIDENCE
from tuner.campaign.student_t import quantile
from tuner.errors import BadInputError
from tuner.goals.objectives import Objective

RESOLUTION = 0.001
"""Part of the largest value below which a difference is none, however steady it is: no fabric shows it. From one seed, where
nothing is known of noise, it is the only bound."""


def within_noise(trials: Sequence[TrialRecord], objectives: Sequence[Objective]) -> tuple[str, ...]:
    """Returns the names of the objectives in which no two complete trials differ beyond noise; none of fewer than two trials."""
    complete = [trial for trial in trials if trial.state == "complete" and not trial.reused]
    if len(complete) < 2:
        return ()
    return tuple(objective.name for objective in objectives if _alike(complete, objective))


def _alike(trials: Sequence[TrialRecord], objective: Objective) -> bool:
    values = [trial.values[objective.name] for trial in trials]
    reach = max(values) - min(values)
    if reach <= RESOLUTION * max(map(abs, values)):
        return True
    cells = [_by_seed(trial, objective) for trial in trials]
    seeds = {len(row) for row in cells}
    if len(seeds) > 1 or min(seeds) < 2:
        return False
    return reach <= _least_difference(cells)


def _by_seed(trial: TrialRecord, objective: Objective) -> list[float]:
    """Returns the objective's value under each seed; none where it has no value under one of them."""
    if trial.evaluation is None:
        return []
    try:
        return [
            objective_values(trial.evaluation.part(seeds=[seed]), [objective])[objective.name] for seed in trial.evaluation.seeds
        ]
    except BadInputError:
        return []


def _least_difference(cells: Sequence[Sequence[float]]) -> float:
    """Returns the least difference of two trials' means that is beyond noise. `cells`: by trial and seed."""
    n, k = len(cells), len(cells[0])
    rows = [math.fsum(row) / k for row in cells]
    columns = [math.fsum(row[seed] for row in cells) / n for seed in range(k)]
    mean = math.fsum(rows) / n
    left = math.fsum((cells[i][s] - rows[i] - columns[s] + mean) ** 2 for i in range(n) for s in range(k))
    freedom = (n - 1) * (k - 1)
    pairs = n * (n - 1) / 2
    return quantile(1 - (1 - CONFIDENCE) / 2 / pairs, freedom) * math.sqrt(2 * left / freedom / k)
