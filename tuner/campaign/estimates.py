# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Evaluations as estimates: each figure with its standard error over the seeds, and differences of two profiles in pairs.

Two profiles that were measured under the same seeds share their luck, so their difference is known better than either figure.
Where the baseline was measured beside each of them, on a fabric that drifts, what the baseline did beside each is taken off
first.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import TypeAlias

from tuner.campaign.evaluation import Evaluation, objective_values, violations
from tuner.campaign.replicates import Estimate, Figures, jackknife
from tuner.goals.constraints import Bound
from tuner.goals.metrics import Metrics
from tuner.goals.objectives import Objective

Estimates: TypeAlias = Mapping[str, Estimate]


def value_estimates(evaluation: Evaluation, objectives: Sequence[Objective]) -> dict[str, Estimate]:
    """Returns the value of each objective. Raises as objective_values."""
    return jackknife(evaluation.seeds, lambda seeds: objective_values(evaluation.part(seeds=seeds), objectives))


def violation_estimates(
    evaluation: Evaluation,
    baseline: Evaluation,
    constraints: Sequence[Bound],
    *,
    expert: Evaluation | None = None,
) -> dict[str, Estimate]:
    """Returns the violation of each constraint, in pairs with the baseline. Raises as violations."""

    def figures(seeds: Sequence[int]) -> Figures:
        return violations(evaluation.part(seeds=seeds), baseline, constraints, expert=expert)

    return jackknife(evaluation.seeds, figures)


def metric_estimates(evaluation: Evaluation) -> dict[str, Estimate]:
    """Returns for each metric that has a value in every run the mean over the runs."""
    return jackknife(evaluation.seeds, lambda seeds: _known(evaluation.part(seeds=seeds).metrics))


def metric_differences(evaluation: Evaluation, other: Evaluation) -> dict[str, Estimate]:
    """Returns each metric minus that under another profile; both must be of the same plan."""

    def figures(seeds: Sequence[int]) -> Figures:
        return _difference(evaluation.part(seeds=seeds), other.part(seeds=seeds), lambda one: _known(one.metrics))

    return jackknife(evaluation.seeds, figures)


def value_differences(evaluation: Evaluation, other: Evaluation, objectives: Sequence[Objective]) -> dict[str, Estimate]:
    """Returns each objective's value minus that under another profile; both must be of the same plan."""

    def figures(seeds: Sequence[int]) -> Figures:
        return _difference(evaluation.part(seeds=seeds), other.part(seeds=seeds), lambda one: objective_values(one, objectives))

    return jackknife(evaluation.seeds, figures)


def standard_errors(estimates: Estimates) -> dict[str, float | None]:
    return {name: estimate.standard_error for name, estimate in estimates.items()}


def _difference(one: Evaluation, other: Evaluation, read: Callable[[Evaluation], Figures]) -> dict[str, float]:
    """Returns the difference of each figure that both have. If both have the baseline beside them, it is the difference of what
    each is above it: drift between them cancels."""
    a, b = read(one), read(other)
    plain = {name: a[name] - b[name] for name in a if name in b}
    if not (one.paired and other.paired):
        return plain
    beside_a, beside_b = (read(ev.compared_with(ev)) for ev in (one, other))
    return {
        name: value - (beside_a[name] - beside_b[name] if name in beside_a and name in beside_b else 0.0)
        for name, value in plain.items()
    }


def _known(metrics: Metrics) -> dict[str, float]:
    return {name: value for name, value in metrics.to_json().items() if value is not None}
