# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Test of a recommendation under other models of the devices: the choices that the specification leaves to designers decide some
of a simulated gain.

In each variant the baseline, the expert and the recommendation are measured alike, and only compared with one another. The
gain is lost there if the recommendation breaks a constraint, or is worse than the expert in an objective in which it is not
worse under the campaign's own model. Worse means by more than 1 % of the expert's value, and with several seeds by more than
chance explains (95 %).
"""

from tuner.campaign.references import References
from tuner.campaign.replicates import Estimate
from tuner.campaign.result import Confirmed, Tried, Variant, confirmed
from tuner.campaign.setup import Setup
from tuner.goals.objectives import Objective

TOLERANCE = 0.01


def measure_variant(setup: Setup, references: References, recommended: Tried, name: str, kind: str) -> Variant:
    """Measures one variant on a backend that has its settings."""
    profiles = [setup.baseline, setup.expert, recommended.confirmed.profile]
    outcomes = references.measure(profiles, setup.variant, kind)
    (baseline, _), (expert, _) = outcomes[:2]
    found = [
        confirmed(setup, profile, outcome, baseline=baseline, expert=expert)
        for profile, outcome in zip(profiles, outcomes, strict=True)
    ]
    return Variant(
        name=name,
        settings=dict(setup.campaign.variants[name]),
        baseline=found[0],
        expert=found[1],
        recommended=found[2],
        lost=lost(setup.objectives, here=found[2], expert_here=found[1], at_home=recommended.confirmed),
    )


def lost(objectives: tuple[Objective, ...], *, here: Confirmed, expert_here: Confirmed, at_home: Confirmed) -> tuple[str, ...]:
    """Names of the constraints and objectives that do not hold under another model."""
    broken = [name for name, violation in here.violations.items() if violation > 0]
    behind = [
        objective.name
        for objective in objectives
        if worse(objective, here.values_against_expert[objective.name], expert_here.values[objective.name].value)
        and not _worse_at_home(objective, at_home)
    ]
    return tuple(dict.fromkeys([*broken, *behind]))  # a constraint may have an objective's name


def worse(objective: Objective, difference: Estimate, reference: float) -> bool:
    """True if a value that differs so from the reference is worse, by more than 1 % of it and by more than chance explains."""
    loss = objective.sign * difference.value
    interval = difference.interval()
    by_chance = interval is not None and interval[0] <= 0 <= interval[1]
    return loss > TOLERANCE * abs(reference) and not by_chance


def _worse_at_home(objective: Objective, at_home: Confirmed) -> bool:
    difference = at_home.values_against_expert[objective.name]
    return worse(objective, difference, at_home.values[objective.name].value - difference.value)
