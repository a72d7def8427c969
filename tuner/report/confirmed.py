# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Measurements with fresh seeds, as plain values: front and references, each figure with its interval."""

import contextlib
from collections.abc import Mapping
from typing import Any

from tuner.campaign.estimates import Estimates
from tuner.campaign.evaluation import Evaluation, objective_values
from tuner.campaign.result import Confirmed, Tried
from tuner.campaign.setup import Setup
from tuner.errors import BadInputError
from tuner.report.headroom import headroom
from tuner.report.modelled_hosts import kept


def confirmed_document(setup: Setup, confirmed: Confirmed, search: Evaluation | None) -> dict[str, Any]:
    """A profile of the comparison, with the series that the plots show. `search`: the same under the search's conditions."""
    return {
        **figures_document(confirmed),
        "headroom": [headroom(confirmed.profile, measurement) for measurement in confirmed.measurements],
        "search": None
        if search is None
        else {"metrics": search.metrics.to_json(), "runs": runs_document(search), "values": _values(setup, search)},
        # Without the counters: of a large fabric they are many, and nothing here shows them.
        "measurements": [
            measurement.to_json() | {"counters": kept(measurement.counters)} for measurement in confirmed.measurements
        ],
    }


def figures_document(confirmed: Confirmed) -> dict[str, Any]:
    """Figures alone. Each of `estimates`, `values`, `violation_estimates`, `against_…` is, by name, `{value, standard_error, low,
    high, replicates}`: `low` to `high` holds the true figure with 95 %; both are null from one seed. `model`: parameters in which
    the simulated devices of a study differed from those of the baseline."""
    return {
        "name": confirmed.profile.name,
        "model": dict(confirmed.configuration.model),
        "profile": confirmed.profile.to_dict(),
        "metrics": confirmed.evaluation.metrics.to_json(),
        "estimates": _plain(confirmed.metrics),
        "values": _plain(confirmed.values),
        "against_baseline": _plain(confirmed.against_baseline),
        "against_expert": _plain(confirmed.against_expert),
        "violations": confirmed.violations,
        "violation_estimates": _plain(confirmed.violations_estimated),
        "feasible": confirmed.feasible,
        "runs": runs_document(confirmed.evaluation),
    }


def tried_document(tried: Tried) -> dict[str, Any]:
    """A trial that was confirmed."""
    return {
        "trial": tried.record.number,
        "params": dict(tried.record.params),
        "broken": broken(tried.confirmed.violations),
        **figures_document(tried.confirmed),
    }


def runs_document(evaluation: Evaluation) -> list[dict[str, Any]]:
    return [{"workload": run.workload, "seed": run.seed, "metrics": run.metrics.to_json()} for run in evaluation.runs]


def broken(violations: Mapping[str, float]) -> list[str]:
    return [name for name, violation in violations.items() if violation > 0]


def _values(setup: Setup, evaluation: Evaluation) -> dict[str, float]:
    """Returns the value of each objective; those that have none here are left out."""
    values: dict[str, float] = {}
    for objective in setup.objectives:
        with contextlib.suppress(BadInputError):
            values |= objective_values(evaluation, [objective])
    return values


def _plain(estimates: Estimates) -> dict[str, Any]:
    return {name: estimate.to_json() for name, estimate in estimates.items()}
