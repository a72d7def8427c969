# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Trials in the service's database: copies of what the campaign's own store has, so that lists need not ask Optuna's tables."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlalchemy import select, update
from sqlalchemy.orm import Session

from api.base.problems import InvalidInput, NotFound
from api.database.models.campaign import StoredCampaign, Trial, TrialSeries
from api.http.pages import Key, PageQuery, paginate, paginate_list
from api.services.campaigns.files import DOCUMENT
from ccsim.policy import Profile
from tuner.campaign.cloning import best_trials
from tuner.campaign.record import TrialRecord
from tuner.document_base.model import build_model
from tuner.documents.campaign import Campaign
from tuner.documents.profile import load_profile
from tuner.goals.pareto import front
from tuner.search.space import Space


def trial_row(campaign_id: str, record: TrialRecord, hypervolume: float | None) -> Trial:
    """The row of a trial, made from the store's record. No other function makes one. What the record does not have are
    `on_front`, which depends on all trials (`mark_front`), and `ended_at`, the time when the row was first written."""
    evaluation = record.evaluation
    return Trial(
        campaign=campaign_id,
        number=record.number,
        origin=record.origin[:100],
        state=record.state,
        feasible=record.feasible,
        params=dict(record.params),
        outcomes=dict(record.values),
        violations=dict(record.violations),
        metrics=None if evaluation is None else evaluation.metrics.to_json(),
        hypervolume=hypervolume,
        duration_s=None if evaluation is None else round(evaluation.duration_s, 3),
        reused=record.reused,
        reason=record.reason,
    )


def mark_front(session: Session, campaign_id: str, numbers: Iterable[int]) -> None:
    """Marks these trials, and no others. They are the feasible ones that no other one dominates."""
    on = set(numbers)
    query = select(Trial.number).where(Trial.campaign == campaign_id, Trial.on_front)
    was = set(session.scalars(query))
    for wanted, changed in ((True, on - was), (False, was - on)):
        if changed:
            session.execute(update(Trial).where(Trial.campaign == campaign_id, Trial.number.in_(changed)).values(on_front=wanted))


def front_numbers(records: Iterable[TrialRecord], signs: Mapping[str, int]) -> list[int]:
    """`signs`: of the objectives, -1 where more is better."""
    feasible = [record for record in records if record.feasible]
    losses = [tuple(sign * record.values[name] for name, sign in signs.items()) for record in feasible]
    return [feasible[i].number for i in front(losses)]


def list_trials(
    session: Session, campaign: StoredCampaign, page: PageQuery, *, state: str | None, sort: str
) -> tuple[list[Trial], str | None]:
    """`sort`: `number`, `duration_s`, an objective or a parameter; with a `-` in front the largest first."""
    query = select(Trial).where(Trial.campaign == campaign.id)
    if state is not None:
        query = query.where(Trial.state == state)
    name, descending = sort.removeprefix("-"), sort.startswith("-")
    if name == "number":
        return paginate(session, query, [Key(Trial.number, descending=descending)], page)
    ranks = _ranks(session, campaign, name, state, descending)
    chosen, cursor = paginate_list(list(ranks), lambda number: f"{ranks[number]:09}", page)
    rows = {trial.number: trial for trial in session.scalars(query.where(Trial.number.in_(chosen)))}
    return [rows[number] for number in chosen if number in rows], cursor


def all_trials(session: Session, campaign: StoredCampaign) -> list[Trial]:
    return list(session.scalars(select(Trial).where(Trial.campaign == campaign.id).order_by(Trial.number)))


def get_trial(session: Session, campaign: StoredCampaign, number: int) -> Trial:
    """Raises NotFound."""
    trial = session.get(Trial, (campaign.id, number))
    if trial is None:
        raise NotFound(f"Campaign '{campaign.name}' has no trial {number}; it has {campaign.trials_done}.")
    return trial


def series_of(session: Session, trial: Trial) -> list[Any]:
    """The measurements of the trial's first seed; empty where none were kept."""
    found = session.get(TrialSeries, (trial.campaign, trial.number))
    return [] if found is None else found.measurements


def put_series(session: Session, campaign_id: str, number: int, measurements: list[Any]) -> None:
    session.merge(TrialSeries(campaign=campaign_id, number=number, measurements=measurements))


def profile_of(campaign: StoredCampaign, trial: Trial) -> str:
    """The profile that was tried, as YAML."""
    follows = not campaign.spec.get("space")  # from the devices: the folder of the campaign has what that was
    document = build_model(Campaign, json.loads(campaign.files[DOCUMENT]) if follows else campaign.spec)
    base = document.base
    path = base if follows else f"profiles/{base}.yaml"
    profile = Profile.from_text(campaign.files[path]) if path in campaign.files else load_profile(base)
    name = f"{campaign.name}-{trial.number}"
    return Space(document.space, profile).profile(trial.params, name=name).to_yaml()


def best_params(session: Session, campaign_id: str, signs: Mapping[str, int], count: int) -> dict[int, dict[str, Any]]:
    """Returns the parameters of the best trials by number, the front of the feasible ones first."""
    query = select(Trial).where(Trial.campaign == campaign_id, Trial.feasible).order_by(Trial.number)
    records = [
        TrialRecord(
            number=trial.number,
            origin=trial.origin,
            params=trial.params,
            state="complete",
            values={name: trial.outcomes[name] for name in signs},
            violations=trial.violations,
        )
        for trial in session.scalars(query)
    ]
    return {record.number: dict(record.params) for record in best_trials(records, list(signs.values()), count)}


def _ranks(session: Session, campaign: StoredCampaign, name: str, state: str | None, descending: bool) -> dict[int, int]:
    """Returns each trial's place in the order, by number; trials without a value come last."""
    query = select(Trial.number, Trial.duration_s, Trial.outcomes, Trial.params).where(Trial.campaign == campaign.id)
    if state is not None:
        query = query.where(Trial.state == state)
    rows = session.execute(query).all()
    known = {"duration_s"} | {key for row in rows for key in (*row.outcomes, *row.params)}
    if name not in known and rows:
        raise InvalidInput.of_field("sort", f"'{name}' is not a column; the columns are number, {', '.join(sorted(known))}")
    values: dict[int, Any] = {}
    for row in rows:
        value = row.duration_s if name == "duration_s" else row.outcomes.get(name, row.params.get(name))
        if value is not None:
            values[row.number] = value
    texts = any(isinstance(value, str) for value in values.values())
    ordered = sorted(values, key=lambda number: (str(values[number]) if texts else values[number], number), reverse=descending)
    missing = sorted(row.number for row in rows if row.number not in values)
    return {number: rank for rank, number in enumerate([*ordered, *missing])}


def trial_columns(trials: Sequence[Trial]) -> tuple[list[str], list[list[object]]]:
    """Header and rows of a table; a column for each parameter, objective and constraint."""
    params = list(dict.fromkeys(path for trial in trials for path in trial.params))
    outcomes = list(dict.fromkeys(name for trial in trials for name in trial.outcomes))
    violations = list(dict.fromkeys(name for trial in trials for name in trial.violations))
    header = ["number", "origin", "state", "feasible", "on_front", *params, *outcomes]
    header += [*(f"violation of {name}" for name in violations), "hypervolume", "duration_s", "reason"]
    rows: list[list[object]] = [
        [
            trial.number,
            trial.origin,
            trial.state,
            trial.feasible,
            trial.on_front,
            *(trial.params.get(path) for path in params),
            *(trial.outcomes.get(name) for name in outcomes),
            *(trial.violations.get(name) for name in violations),
            trial.hypervolume,
            trial.duration_s,
            trial.reason,
        ]
        for trial in trials
    ]
    return header, rows


def measured(session: Session, campaign: StoredCampaign, *, params: bool = False) -> Sequence[Any]:
    """Returns what charts need of each trial that was measured in full: `number`, `outcomes`, `on_front`, `feasible`, and with
    `params` the parameters too."""
    query = select(Trial.number, Trial.outcomes, Trial.on_front, Trial.feasible, *([Trial.params] if params else []))
    return session.execute(query.where(Trial.campaign == campaign.id, Trial.state == "complete").order_by(Trial.number)).all()


def hypervolumes(session: Session, campaign: StoredCampaign) -> list[tuple[int, float]]:
    """Returns (number, hypervolume) for each trial that has one, in the order of the numbers."""
    query = select(Trial.number, Trial.hypervolume).where(Trial.campaign == campaign.id).order_by(Trial.number)
    return [(row.number, row.hypervolume) for row in session.execute(query) if row.hypervolume is not None]
