# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Defines when a profile is worse than the expert: under the campaign's own devices, or under another model of them. The choices
that the specification leaves to designers decide some of a simulated gain.

Under each model the baseline, the expert and the profile are measured alike, and only compared with one another. A profile is
worse

- by a constraint that it breaks and the expert keeps, or that it breaks by more than the expert does;
- where the campaign's rule of recommendation does not prefer it to the expert: by each objective in which it is worse.

Worse and more mean by more than 1 % of the expert's value, and with several seeds by more than chance explains (95 %).
"""

from collections.abc import Sequence

from tuner.campaign.replicates import Estimate
from tuner.campaign.result import Confirmed
from tuner.goals.objectives import Objective
from tuner.goals.recommendation import Rule

TOLERANCE = 0.01


def lost(
    objectives: Sequence[Objective], rule: Rule, *, here: Confirmed, expert: Confirmed, surely: bool = False
) -> tuple[str, ...]:
    """Returns the constraints and objectives by which a profile is worse than the expert, both measured under one model.

    `surely`: constraints too count only where they are broken by more than chance, for a look at some of the seeds.
    """
    broken = [
        name
        for name, violation in here.violations_estimated.items()
        if violation.value > _most(expert.violations_estimated[name].value) and not (surely and _by_chance(violation))
    ]
    preferred = rule.prefers(here.candidate(1), expert.candidate(0), objectives)
    behind = [
        objective.name
        for objective in objectives
        if not preferred and worse(objective, here.values_against_expert[objective.name], expert.values[objective.name].value)
    ]
    return tuple(dict.fromkeys([*broken, *behind]))  # a constraint may have an objective's name


def worse(objective: Objective, difference: Estimate, reference: float) -> bool:
    """True if a value that differs so from the reference is worse, by more than 1 % of it and by more than chance explains."""
    return objective.sign * difference.value > TOLERANCE * abs(reference) and not _by_chance(difference)


def _most(expert: float) -> float:
    """Returns the largest violation that does not count, by that of the expert: none where the expert keeps the constraint."""
    return expert + TOLERANCE if expert > 0 else 0.0


def _by_chance(estimate: Estimate) -> bool:
    interval = estimate.interval()
    return interval is not None and interval[0] <= 0 <= interval[1]
