# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Finds the parameters that decided whether a trial was among the best, by PED-ANOVA, which is steady with few trials."""

import math
from collections.abc import Sequence

import optuna
from optuna.trial import create_trial

from tuner.campaign.noise import within_noise
from tuner.campaign.record import TrialRecord
from tuner.goals.objectives import Objective
from tuner.search.samplers.base import Distributions

EVALUATOR = "PED-ANOVA: how differently the best trials and all trials are spread along each parameter."
FEWEST_TRIALS = 6
TRUSTED_TRIALS = 30


def top_fraction(n_trials: int) -> float:
    """Returns the fraction of the trials that count as the best: a tenth, but at least five trials, and at most half."""
    return max(0.1, min(0.5, 5 / n_trials))


def importance(
    trials: Sequence[TrialRecord], objectives: Sequence[Objective], distributions: Distributions
) -> dict[str, dict[str, float]]:
    """Returns the share of each parameter, by objective; the shares sum to 1.

    Left out are parameters that only some trials have, since a condition decides, and an objective in which the trials do not
    differ beyond noise (noise.py) or fewer than six of them finished.
    """
    complete = [trial for trial in trials if trial.state == "complete"]
    if len(complete) < FEWEST_TRIALS:
        return {}
    evaluator = optuna.importance.PedAnovaImportanceEvaluator(target_quantile=top_fraction(len(complete)))
    shares = {}
    alike = within_noise(complete, objectives)
    for objective in objectives:
        if objective.name in alike:
            continue
        losses = [objective.sign * trial.values[objective.name] for trial in complete]
        cutoff = sorted(losses)[math.ceil(top_fraction(len(losses)) * len(losses)) - 1]
        if max(losses) <= cutoff:
            continue
        study = optuna.create_study(direction="minimize")  # one of its own: the campaign's has several objectives
        study.add_trials(
            create_trial(
                value=loss, params=dict(trial.params), distributions={name: distributions[name] for name in trial.params}
            )
            for trial, loss in zip(complete, losses, strict=True)
        )
        found = optuna.importance.get_param_importances(study, evaluator=evaluator)
        if sum(found.values()) > 0:
            shares[objective.name] = found
    return shares
