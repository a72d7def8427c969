# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A small step away from a trial that nothing dominates: refines what has been found, where an estimator would still look around.

Of the feasible trials on the Pareto front one is drawn, the more often the more hypervolume it alone dominates: ends of the front
that gain a little in one objective for all of another are rarely worth refining. As long as nothing is feasible, the one that
breaks the constraints least is taken. Half of its values on average, and at least one, are moved by a normally distributed
distance, whose width is drawn anew for each step: wide ones cross the space, narrow ones polish.
"""

import math
from typing import Any

import numpy as np
from optuna.distributions import BaseDistribution, CategoricalDistribution
from optuna.samplers import BaseSampler
from optuna.study import Study, StudyDirection
from optuna.trial import FrozenTrial, TrialState

from tuner.goals.pareto import Point, front, hypervolume
from tuner.search.samplers.base import Distributions, Prior
from tuner.search.samplers.proposers.point import place_of, value_at

NEAR = 0.01
"""Violation of trials that half of the steps may start from as well where the first trials are likely to be good: one of these
that just misses a constraint is worth a step, though others keep it."""
NARROWEST, WIDEST = 0.02, 0.3
"""Standard deviations of a step, as parts of a parameter's range (of its logarithm, where that is what counts)."""


class StepSampler(BaseSampler):
    """Proposes one step. `fallback` is the point that is proposed before any trial is finished; `prior`: None in a campaign that
    an earlier release began, whose steps moved each whole number that they chose by at least 1."""

    def __init__(self, distributions: Distributions, *, seed: int, fallback: dict[str, Any], prior: Prior | None = None) -> None:
        self._prior = prior
        self._distributions = distributions
        self._random = np.random.default_rng(seed)
        self._point = fallback

    def before_trial(self, study: Study, trial: FrozenTrial) -> None:
        finished = study.get_trials(deepcopy=False, states=(TrialState.COMPLETE,))
        if finished:
            near = self._prior is not None and self._prior.has_good_starts and self._random.random() < 0.5
            parent = _parent(study, finished, self._random, allowed=NEAR if near else 0.0)
            self._point = {**self._point, **self._stepped(parent.params)}

    def infer_relative_search_space(self, study: Study, trial: FrozenTrial) -> dict[str, BaseDistribution]:
        return {}

    def sample_relative(self, study: Study, trial: FrozenTrial, search_space: dict[str, BaseDistribution]) -> dict[str, Any]:
        return {}

    def sample_independent(self, study: Study, trial: FrozenTrial, param_name: str, param_distribution: BaseDistribution) -> Any:
        return self._point[param_name]

    def _stepped(self, params: dict[str, Any]) -> dict[str, Any]:
        known = [name for name in self._distributions if name in params]
        moved = [name for name in known if self._random.random() < 0.5] or [str(self._random.choice(known))]
        width = math.exp(self._random.uniform(math.log(NARROWEST), math.log(WIDEST)))
        if self._prior is None:
            return params | {name: self._moved(self._distributions[name], params[name], width) for name in moved}
        after = params | {name: self._moved(self._distributions[name], params[name], width, tries=1) for name in moved}
        if after == params:
            after[moved[0]] = self._moved(self._distributions[moved[0]], params[moved[0]], width)
        moved = [name for name in moved if after[name] != params[name]]
        return after if self._prior.follow is None else self._prior.follow(params, after, moved)

    def _moved(self, distribution: BaseDistribution, value: Any, width: float, *, tries: int = 64) -> Any:
        """Another value if there is one, after so many tries, each of which goes twice as far: with one try, a step too small to
        reach the next value leaves it."""
        if distribution.single():
            return value
        if isinstance(distribution, CategoricalDistribution):
            others = [choice for choice in distribution.choices if choice != value]
            return others[int(self._random.integers(len(others)))]
        distance = self._random.normal(0, width)
        for _ in range(tries):
            place = place_of(distribution, value) + distance
            # A step that would leave the range is reflected at its end.
            place = abs(place) % 2
            moved = value_at(distribution, min(2 - place if place > 1 else place, math.nextafter(1, 0)))
            if moved != value:
                return moved
            distance *= 2
        return value


def _parent(study: Study, finished: list[FrozenTrial], random: np.random.Generator, *, allowed: float) -> FrozenTrial:
    """`allowed`: violation with which a trial still counts as feasible."""
    feasible = [trial for trial in finished if _violation(trial) <= allowed]
    if not feasible:
        return min(finished, key=lambda trial: (_violation(trial), trial.number))
    signs = [1 if direction == StudyDirection.MINIMIZE else -1 for direction in study.directions]
    losses = [tuple(sign * value for sign, value in zip(signs, trial.values, strict=True)) for trial in feasible]
    edge = front(losses)
    return feasible[edge[int(random.choice(len(edge), p=_weights([losses[i] for i in edge])))]]


def _weights(edge: list[Point]) -> list[float]:
    """For each point of a front its part of what single points alone dominate, seen from a corner a little behind the front's
    worst values; with one point, 1."""
    corner = tuple(max(axis) + 0.1 * ((max(axis) - min(axis)) or 1.0) for axis in zip(*edge, strict=True))
    whole = hypervolume(edge, corner)
    alone = [max(0.0, whole - hypervolume([*edge[:i], *edge[i + 1 :]], corner)) for i in range(len(edge))]
    total = math.fsum(alone)
    return [part / total for part in alone] if total > 0 else [1 / len(edge)] * len(edge)


def _violation(trial: FrozenTrial) -> float:
    """Returns the sum of the violations of all constraints; 0 if none is broken."""
    return math.fsum(max(0.0, violation) for violation in trial.constraints.values())
