# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Carries what stored campaigns found on like fabrics to this one, by the fair share.

Rule of likeness. A stored campaign is like a new one if

- both have a known hotspot: a workload asks a receiver, or a link, for more than it takes;
- the devices react alike: BECNs on the same kind of packet, and CCTI_Timers of the same scope. How far CNPs are apart may differ,
  as the balance takes that into account;
- the contributors differ at most MOST_RATIO times in number. Rates may differ, as packet times take them into account.

Its trials are judged by the objectives and constraints of the new campaign, from the metrics that they were measured with,
whatever it searched for itself. Of those that keep the constraints, the ones are carried that together dominate most, and of
profiles that are much the same only the best. Those come last whose carried values the space does not hold, and behind them those
that break a constraint. Where several campaigns are alike they take turns, the most like one first.
"""

import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from ccsim.policy import Profile, ProfileError
from tuner.campaign.evaluation import Evaluation, objective_values, violations
from tuner.campaign.first_trials.source import Source, sources
from tuner.campaign.setup import Setup
from tuner.documents.parameter import Scalar
from tuner.errors import BadInputError
from tuner.goals.pareto import Point, hypervolume
from tuner.search.samplers.base import Distributions
from tuner.search.samplers.proposers.point import place_of
from tuner.suggest.carry import carried
from tuner.suggest.ground import Ground

MOST = 3
"""Profiles that are carried, of all stored campaigns together."""
MOST_RATIO = 8.0
APART = 0.1
"""Part of a field's range by which two carried profiles of a campaign must differ in one field at least: the best of a search are
often steps from one another."""
_RANKS = 3
LOOKED_AT = 32
"""Trials of one campaign that are considered; a large one has thousands."""


@dataclass(frozen=True, kw_only=True)
class WarmTrial:
    """A profile that was carried over."""

    origin: str
    values: Mapping[str, Scalar]
    source: str
    """Sentence that says where they are from."""


def unlike(source: Ground | None, target: Ground) -> str:
    """Returns why a stored campaign cannot help, as a clause; empty if it can."""
    if source is None:
        return "its workloads have no known hotspot"
    if source.notifier.carrier != target.notifier.carrier:
        return f"its devices carry BECNs on {_carriers(source)} and these on {_carriers(target)}"
    if source.timer != target.timer:
        return f"its devices have a CCTI_Timer for each {_scope(source)} and these for each {_scope(target)}"
    ratio = source.contributors / target.contributors
    if not 1 / MOST_RATIO <= ratio <= MOST_RATIO:
        return (
            f"it has {source.contributors} contributors to a receiver and this one {target.contributors}, "
            f"more than {MOST_RATIO:g} times apart"
        )
    return ""


def distance(source: Ground, target: Ground) -> float:
    """Returns how far two like grounds are apart: by the logarithms of the contributors' ratio and the rates' ratio."""
    rates = source.path.receive_gbps / target.path.receive_gbps
    return abs(math.log(source.contributors / target.contributors)) + 0.5 * abs(math.log(rates))


def warm_start(setup: Setup, target: Ground | None, notes: list[str]) -> list[WarmTrial]:
    """Returns the carried profiles, best first, and adds to `notes` what was not used and why. Raises BadInputError and
    UnreachableError if a storage that the campaign names cannot be read."""
    if not setup.campaign.warm_start:
        return []
    found = sources(setup.campaign.warm_start, notes)
    if target is None:
        notes.append("nothing is carried over from stored campaigns: the workloads here have no known hotspot")
        return []
    alike = []
    for source in found:
        if reason := unlike(source.ground, target):
            notes.append(f"campaign '{source.name}' in {source.storage} is not used: {reason}")
        elif source.ground is not None:
            alike.append((distance(source.ground, target), source, source.ground))
            if source.outdated:
                notes.append(f"campaign '{source.name}' in {source.storage} {source.outdated}")
    alike.sort(key=lambda one: one[0])
    queues = [_carried(source, ground, setup, target) for _, source, ground in alike]
    taken: dict[str, WarmTrial] = {}
    turns = (itertools.zip_longest(*(queue[rank] for queue in queues)) for rank in range(_RANKS))
    for trial in itertools.chain.from_iterable(itertools.chain.from_iterable(turns)):
        if trial is not None and len(taken) < MOST:
            taken.setdefault(setup.space.configuration(trial.values, name="carried").digest, trial)
    if alike and not taken:
        notes.append("nothing is carried over: no stored trial has the metrics that count here, and fits the space")
    return list(taken.values())


def _carried(source: Source, ground: Ground, setup: Setup, target: Ground) -> list[list[WarmTrial]]:
    """Sorts trials by rank: those that keep the constraints and fit the space, those that only keep them, and the rest."""
    ranked: list[list[WarmTrial]] = [[] for _ in range(_RANKS)]
    scale = f"{ground.contributors} to {target.contributors} contributors"
    rates = f"{ground.path.receive_gbps:.4g} to {target.path.receive_gbps:.4g} Gb/s"
    for number, profile, keeps in _best(source, setup):
        try:
            fitted = carried(profile, ground, target, setup.space)
            values = fitted.params
            setup.space.profile(values, name="carried")
        except (BadInputError, ProfileError):
            continue
        trial = WarmTrial(
            origin=f"{source.name}-{number}",
            values=values,
            source=f"Trial {number} of campaign '{source.name}' in {source.storage}, carried from {scale} and from {rates}.",
        )
        rank = 2 if not keeps else 1 if fitted.changed else 0
        if all(_are_apart(values, other.values, setup.space.distributions) for other in ranked[rank]):
            ranked[rank].append(trial)
    return ranked


def _are_apart(values: Mapping[str, Scalar], others: Mapping[str, Scalar], distributions: Distributions) -> bool:
    return any(
        path not in others or abs(place_of(distribution, values[path]) - place_of(distribution, others[path])) >= APART
        for path, distribution in distributions.items()
        if path in values
    )


def _best(source: Source, setup: Setup) -> Iterator[tuple[int, Profile, bool]]:
    """Yields at most LOOKED_AT trials of each kind by number, and whether they keep the constraints here: of those that do first
    the one that dominates most, then what adds most to it; then those that break them, the least first."""
    judged = {
        record.number: one
        for record in source.records
        if record.state == "complete" and record.evaluation is not None
        if (one := _judged(record.evaluation, source, setup)) is not None
    }
    losses = {number: loss for number, (loss, excess) in judged.items() if excess <= 0}
    if losses:
        corner = tuple(max(axis) + 0.1 * ((max(axis) - min(axis)) or 1.0) for axis in zip(*losses.values(), strict=True))
    chosen: list[Point] = []
    while losses and len(chosen) < LOOKED_AT:
        number = max(losses, key=lambda one: (hypervolume([*chosen, losses[one]], corner), -one))
        chosen.append(losses.pop(number))
        yield number, source.profile(number), True
    broken = {number: excess for number, (_, excess) in judged.items() if excess > 0}
    for number in sorted(broken, key=lambda one: broken[one])[:LOOKED_AT]:
        yield number, source.profile(number), False


def _judged(evaluation: Evaluation, source: Source, setup: Setup) -> tuple[Point, float] | None:
    """Returns the losses here, and the sum of the violations; None if the trial was not measured for what counts here."""
    try:
        values = objective_values(evaluation, setup.objectives)
        broken = violations(evaluation, source.baseline, setup.constraints, expert=source.expert)
    except (BadInputError, KeyError):
        return None
    loss = tuple(objective.sign * values[objective.name] for objective in setup.objectives)
    return loss, math.fsum(max(0.0, violation) for violation in broken.values())


def _carriers(ground: Ground) -> str:
    return {"cnp": "CNPs", "ack": "acknowledgements"}[ground.notifier.carrier]


def _scope(ground: Ground) -> str:
    return "flow" if ground.timer == "flow" else "port and SL"
