# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The report as a document: everything that report.html shows is in report.json."""

import datetime
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ccsim.policy import Profile
from tuner.campaign.evaluation import Plan
from tuner.campaign.hypervolumes import unit_of_hypervolume
from tuner.campaign.importance import EVALUATOR, TRUSTED_TRIALS
from tuner.campaign.noise import within_noise
from tuner.campaign.record import TrialRecord
from tuner.campaign.result import CampaignResult, Tried
from tuner.goals.constraints import Bound
from tuner.goals.objectives import OBJECTIVES, Objective
from tuner.goals.pareto import Point, front, hypervolume
from tuner.report.confirmed import confirmed_document, runs_document, tried_document
from tuner.report.finding import finding
from tuner.report.headline import headline
from tuner.report.machine import machine, versions
from tuner.report.profiles import profiles_document
from tuner.report.scenarios import scenarios_document
from tuner.report.short_runs import short_runs
from tuner.report.varied_model import varied_document

SCHEMA = 1


def report_document(result: CampaignResult, *, commands: Sequence[str]) -> dict[str, Any]:
    """Plain values for `json.dumps`. `commands`: what to type to get the same again."""
    setup, campaign = result.setup, result.setup.campaign
    recommended = None if result.recommended is None else _recommended(result, result.recommended)
    losses = {trial.number: _loss(trial, setup.objectives) for trial in result.trials if trial.feasible}
    feasible = list(losses)
    scenarios = scenarios_document(result)
    document: dict[str, Any] = {
        "schema": SCHEMA,
        "campaign": {
            "name": campaign.name,
            "description": campaign.description,
            "base": setup.space.base.name,
            "document": campaign.model_dump(mode="json"),
        },
        "recommended": recommended,
        "baseline": confirmed_document(setup, result.baseline, result.baseline_search),
        "expert": confirmed_document(setup, result.expert, result.expert_search),
        "rule": setup.rule.statement,
        "picked_by_rule": result.picked_by_rule,
        "confirmed": [tried_document(tried) for tried in result.front],
        "scenarios": scenarios,
        "profiles": profiles_document(result, scenarios),
        "rejected": [tried_document(tried) for tried in result.rejected],
        "counts": result.summary,
        "elapsed_s": round(result.elapsed_s, 3),
        "parameters": list(setup.space.distributions),
        "varied_model": varied_document(result),
        "first_trials": {
            "sources": {} if setup.first is None else dict(setup.first.sources),
            "notes": [] if setup.first is None else list(setup.first.notes),
        },
        "trials": [_trial(trial) for trial in result.trials],
        "front": [feasible[i] for i in front([losses[number] for number in feasible])],
        "hypervolume": _hypervolume(result, losses),
        "importance": {
            "evaluator": EVALUATOR,
            "caution": _caution(result),
            "within_noise": list(within_noise(result.trials, setup.objectives)),
            "shares": {objective: dict(shares) for objective, shares in result.importance.items()},
        },
        "cct": _curves(result),
        "definitions": [_definition(objective) for objective in OBJECTIVES],
        "objectives": [objective.name for objective in setup.objectives],
        "goals": [_definition(objective) for objective in setup.objectives],
        "constraints": [_constraint(bound) for bound in setup.constraints],
        "conditions": _conditions(result),
        "commands": list(commands),
        "versions": versions(),
        "machine": machine(),
        "written": datetime.datetime.now(tz=datetime.UTC).isoformat(timespec="seconds"),
    }
    return {"finding": finding(document), "headline": headline(document), **document}


def _recommended(result: CampaignResult, tried: Tried) -> dict[str, Any]:
    record, confirmed = tried.record, tried.confirmed
    return {
        "trial": record.number,
        "params": dict(record.params),
        **confirmed_document(result.setup, confirmed, record.evaluation),
        "profile_yaml": confirmed.profile.to_yaml(),
        "changes_from_expert": _changes(result.expert.profile, confirmed.profile),
        "changes_from_base": _changes(result.setup.space.base, confirmed.profile),
    }


def _changes(old: Profile, new: Profile) -> list[dict[str, Any]]:
    return [{"field": field, "old": before, "new": after} for field, before, after in old.diff(new) if field != "name"]


def _trial(trial: TrialRecord) -> dict[str, Any]:
    evaluation = trial.evaluation
    return {
        "number": trial.number,
        "origin": trial.origin,
        "state": trial.state,
        "params": dict(trial.params),
        "values": dict(trial.values),
        "metrics": None if evaluation is None else evaluation.metrics.to_json(),
        "standard_errors": dict(trial.standard_errors),
        "violations": dict(trial.violations),
        "violation_standard_errors": dict(trial.violation_standard_errors),
        "feasible": trial.feasible,
        "screening": None if trial.screening is None else trial.screening.metrics.to_json(),
        "runs": [] if evaluation is None else runs_document(evaluation),
        "duration_s": None if evaluation is None else round(evaluation.duration_s, 3),
        "reused": trial.reused,
        "reason": trial.reason,
    }


def _loss(trial: TrialRecord, objectives: Sequence[Objective]) -> Point:
    return tuple(objective.sign * trial.values[objective.name] for objective in objectives)


def _hypervolume(result: CampaignResult, losses: Mapping[int, Point]) -> dict[str, Any]:
    objectives, reference = result.setup.objectives, result.setup.campaign.hypervolume_reference
    corner = tuple(objective.sign * reference[objective.name] for objective in objectives)
    points: list[Point] = []
    values = []
    for trial in result.trials:
        points += [losses[trial.number]] if trial.number in losses else []
        values.append(hypervolume(points, corner))
    unit = unit_of_hypervolume(objective.unit for objective in objectives)
    return {"reference": dict(reference), "unit": unit, "values": values}


def _caution(result: CampaignResult) -> str:
    finished = sum(trial.state == "complete" for trial in result.trials)
    return f"With {finished} trials this is a hint, not a proof." if finished < TRUSTED_TRIALS else ""


def _curves(result: CampaignResult) -> dict[str, Any]:
    """IRD in µs by CCTI, as devices hold it, of profiles that have a table."""
    profiles = {"expert": result.expert.profile}
    if result.recommended is not None:
        profiles["recommended"] = result.recommended.confirmed.profile
    curves = {}
    for role, profile in profiles.items():
        ird_ns = [entry.ird_ns for entry in profile.encode().entries]
        if ird_ns and None not in ird_ns:
            curves[role] = {"name": profile.name, "ird_us": [round((ird or 0.0) / 1000, 6) for ird in ird_ns]}
    return curves


def _definition(objective: Objective) -> dict[str, str]:
    return {
        "name": objective.name,
        "metric": objective.metric,
        "unit": objective.unit,
        "direction": objective.direction,
        "meaning": objective.meaning,
        "source": objective.source,
    }


def _constraint(bound: Bound) -> dict[str, Any]:
    return {
        "name": bound.name,
        "metric": bound.constraint.metric,
        bound.constraint.sense: bound.limit,
        "of": bound.of,
        "unit": bound.constraint.unit,
        "meaning": bound.sentence,
    }


def _conditions(result: CampaignResult) -> dict[str, Any]:
    setup, campaign = result.setup, result.setup.campaign
    return {
        "backend": campaign.backend,
        "backend_settings": dict(setup.backend_settings),
        "workloads": [workload.model_dump(mode="json") for workload in setup.workloads],
        "interval_s": setup.workloads[0].sample_interval_s,
        "search": _plan(setup.search, campaign.time_scale),
        "screening": None
        if setup.screening is None or campaign.screening is None
        else _plan(setup.screening, campaign.screening.time_scale) | {"keep": campaign.screening.keep},
        "confirmation": _plan(setup.confirmation, campaign.confirmation.time_scale)
        | {"backend": campaign.backend if campaign.confirm_on is None else campaign.confirm_on.backend},
        "short_runs": _short_runs(result),
        "notes": _notes(result),
        "low_capacity": _low_capacity(result),
        "sampler": campaign.sampler.model_dump(mode="json"),
        "parallel": campaign.parallel,
    }


def _short_runs(result: CampaignResult) -> dict[str, Any] | None:
    """Returns what `short_runs` says; None where nothing is recommended, or a study varied the devices."""
    if result.recommended is None or result.recommended.confirmed.configuration.model:
        return None
    return short_runs(result.setup, result.recommended.confirmed.profile)


def _notes(result: CampaignResult) -> list[str]:
    """Returns the notes of backends that readers of the measurements must know, each once."""
    return list(dict.fromkeys(str(sentence) for counters in _counters(result) for sentence in counters.get("notes", ())))


def _low_capacity(result: CampaignResult) -> list[str]:
    """Returns the warnings about fabrics whose routing carries less than half of what it could, each once."""
    return list(dict.fromkeys(str(one["low_capacity"]) for one in _counters(result) if one.get("low_capacity")))


def _counters(result: CampaignResult) -> Iterator[Mapping[str, Any]]:
    """Yields the counters of all measurements of the confirmation."""
    for one in (result.baseline, result.expert, *(tried.confirmed for tried in result.front)):
        yield from (found.counters for found in one.measurements)


def _plan(plan: Plan, time_scale: float) -> dict[str, Any]:
    return {
        "seeds": list(plan.seeds),
        "time_scale": time_scale,
        "duration_s": [workload.duration_s for workload in plan.workloads],
    }
