# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Copies what a running campaign does into the database, each trial as it ends, and reads what people have asked of it."""

import time
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy.orm import Session

from api.database.models.campaign import StoredCampaign, Trial
from api.queue.context import JobContext
from api.services.campaigns import trials
from api.services.campaigns.events import publish_event, publish_progress, publish_state
from api.services.campaigns.series import SeriesShelf
from tuner.campaign.evaluation import Evaluation, objective_values
from tuner.campaign.hypervolumes import Hypervolumes
from tuner.campaign.importance import importance
from tuner.campaign.progress import Phase, Progress, Runs
from tuner.campaign.record import TrialRecord
from tuner.campaign.requests import REQUEST, Request
from tuner.campaign.result import CampaignResult, Confirmed, Tried
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.errors import BadInputError
from tuner.measuring.configuration import Configuration
from tuner.report.scenarios import scenario_map

_LOOK_S = 0.5
_TELL_S = 0.5
"""Least time between two reports of runs outside the search: each is a transaction."""
_IMPORTANCE_EVERY = 20
_WORDS = {
    "references": "measuring the baseline and the expert",
    "search": "searching",
    "confirmation": "confirming with fresh seeds",
}


class CampaignWatch:
    """A listener of `tuner.campaign`. Used by the coordinating thread only, as the store is."""

    def __init__(self, context: JobContext, campaign_id: str, setup: Setup, store: CampaignStore, shelf: SeriesShelf) -> None:
        self._context, self._id, self._setup, self._store, self._shelf = context, campaign_id, setup, store, shelf
        self._signs = {objective.name: objective.sign for objective in setup.objectives}
        self._records: dict[int, TrialRecord] = {record.number: record for record in store.records()}
        self._volumes = Hypervolumes(setup.objectives, setup.campaign.hypervolume_reference)
        self._looked_s = float("-inf")
        self._told_s = float("-inf")
        self.requested: str | None = None

    def reconcile(self) -> None:
        """Copies all of the store's records: a process may have ended after the store had one and before its row was written."""
        records = [self._records[number] for number in sorted(self._records)]
        with self._context.database.writing(durable=False) as session:
            self._copy(session, records)
            row = session.get_one(StoredCampaign, self._id)
            row.trials_done = len(records)

    def _copy(self, session: Session, records: Sequence[TrialRecord]) -> list[Trial]:
        """Writes the rows of records that the store has. A row that is there already becomes the same again."""
        rows = []
        for record in records:
            self._volumes.add(record)
            rows.append(session.merge(trials.trial_row(self._id, record, self._volumes.history[-1])))
        session.flush()
        if any(record.feasible for record in records):
            trials.mark_front(session, self._id, trials.front_numbers(self._records.values(), self._signs))
            for row in rows:
                session.expire(row, ["on_front"])
        return rows

    def should_stop(self) -> bool:
        """Looks up now and then what people have asked of the campaign, too."""
        if time.monotonic() >= self._looked_s + _LOOK_S:
            self.look()
            if self.requested == "finish" and self._store.recall(REQUEST) is None:
                self._store.remember(REQUEST, Request(kind="finish", by="a person, through the service").to_json())
        return self._context.should_stop() or self.is_to_end

    @property
    def is_to_end(self) -> bool:
        """True if the last look() found that somebody has asked to pause or stop the campaign, or has deleted it."""
        return self.requested in ("pause", "stop")

    def look(self) -> None:
        """Reads what people have asked of the campaign."""
        self._looked_s = time.monotonic()
        with self._context.database.reading() as session:
            row = session.get(StoredCampaign, self._id)
            self.requested = "stop" if row is None else row.requested_action

    def phase(self, phase: Phase, progress: Progress) -> None:
        with self._context.database.writing(durable=False) as session:
            row = session.get_one(StoredCampaign, self._id)
            row.phase = phase
            searching = phase == "search"
            row.progress = progress_document(progress.finished, progress.total, progress.remaining_s) if searching else None
            if phase == "search":
                row.goals = [goal | self._references(goal["name"]) for goal in row.goals]
            publish_state(session, row)
        self._context.progress(progress.finished, progress.total, _WORDS[phase])

    def trial(self, record: TrialRecord, progress: Progress) -> None:
        self._records[record.number] = record
        self._store.sync()  # a row says that the store has the trial: a power cut must not take the trial only
        best = progress.best
        shares = self._importance(progress.finished)
        series = self._shelf.get(self._setup.space.configuration(record.params, name="x").digest) if record.evaluation else []
        with self._context.database.writing(durable=False) as session:
            (trial,) = self._copy(session, [record])
            if series:
                trials.put_series(session, self._id, record.number, series)
            row = session.get_one(StoredCampaign, self._id)
            row.trials_done, row.elapsed_s = progress.finished, progress.elapsed_s
            row.progress = progress_document(progress.finished, progress.total, progress.remaining_s)
            row.best = None if best is None else best_document(best)
            if shares is not None:
                row.importance = shares
            data = {
                "number": trial.number,
                "state": trial.state,
                "feasible": trial.feasible,
                "on_front": trial.on_front,
                "values": trial.outcomes,
                "params": trial.params,
                "hypervolume": trial.hypervolume,
                "trials_done": progress.finished,
                "trials_total": progress.total,
                "best": row.best,
                "remaining_s": progress.remaining_s,
                "elapsed_s": progress.elapsed_s,
            }
            publish_event(session, row, "trial", data)
        self._context.progress(progress.finished, progress.total, _WORDS["search"])

    def measured(self, name: str, runs: Runs) -> None:
        now_s = time.monotonic()
        if now_s < self._told_s + _TELL_S and runs.done < runs.total:
            return
        self._told_s = now_s
        with self._context.database.writing() as session:
            row = session.get_one(StoredCampaign, self._id)
            row.progress = progress_document(runs.done, runs.total, runs.remaining_s)
            publish_progress(session, row, name)
        self._context.progress(runs.done, runs.total, f"measuring {name}")

    def _importance(self, finished: int) -> dict[str, Any] | None:
        if finished % _IMPORTANCE_EVERY:
            return None
        return dict(importance(list(self._records.values()), self._setup.objectives, self._setup.space.distributions))

    def _references(self, name: str) -> dict[str, float]:
        """The baseline's and the expert's value of an objective, under the search's conditions."""
        found = {}
        for role, profile in (("baseline", self._setup.baseline), ("expert", self._setup.expert)):
            document = self._store.recall(f"search:{Configuration(profile).digest}")
            if document is not None:
                try:
                    values = objective_values(Evaluation.from_json(document["evaluation"]), self._setup.objectives)
                except BadInputError:
                    continue
                found[role] = values[name]
        return found


def progress_document(done: int, total: int, remaining_s: float | None) -> dict[str, Any]:
    """Returns the progress of a phase: trials of the search, else runs."""
    return {"done": done, "total": total, "remaining_s": None if remaining_s is None else round(remaining_s, 1)}


def best_document(record: TrialRecord) -> dict[str, Any]:
    """Returns the document of a trial that would be recommended now."""
    candidate = record.candidate
    return {
        "number": record.number,
        "values": dict(record.values),
        "params": dict(record.params),
        "victim_throughput_gbps": candidate.victim_throughput_gbps,
        "treatment_variation_gbps2": candidate.treatment_variation_gbps2,
        "spread_gbps": candidate.spread_gbps,
    }


def confirmed_document(result: CampaignResult, chosen: Tried) -> dict[str, Any]:
    """Returns the document of the recommended trial as the confirmation measured it; `beside` has the references under the same
    conditions."""
    return best_document(chosen.record) | {
        "values": _means(chosen.confirmed),
        "victim_throughput_gbps": chosen.confirmed.evaluation.metrics.victim_throughput_gbps,
        "treatment_variation_gbps2": chosen.confirmed.evaluation.metrics.treatment_variation_gbps2,
        "spread_gbps": chosen.confirmed.evaluation.metrics.spread_gbps,
        "beside": {"baseline": _means(result.baseline), "expert": _means(result.expert)},
        "metrics": {
            "recommended": _compared(chosen.confirmed),
            "baseline": _compared(result.baseline),
            "expert": _compared(result.expert),
        },
    }


def on_devices(report: Mapping[str, Any]) -> dict[str, Any]:
    """Returns of a report the profiles for each model of the devices, if the recommendation does not serve them all, and the map
    of scenarios."""
    keys = ("file", "variant", "settings", "devices", "origin", "trial", "gain")
    profiles = [{key: profile[key] for key in keys} for profile in report["profiles"]]
    return {"profiles": profiles, "scenarios": scenario_map(report["scenarios"])}


def _compared(confirmed: Confirmed) -> dict[str, float | None]:
    """Returns metrics that people compare whatever the objectives are. A low variation means little without what victims and
    contributors get: flows that starve differ little."""
    metrics = confirmed.evaluation.metrics
    return {
        "victim_throughput_gbps": metrics.victim_throughput_gbps,
        "contributor_total_gbps": metrics.contributor_total_gbps,
        "treatment_variation_gbps2": metrics.treatment_variation_gbps2,
        "spread_gbps": metrics.spread_gbps,
    }


def _means(confirmed: Confirmed) -> dict[str, float]:
    """Returns each objective's mean over the confirmation's seeds."""
    return {name: estimate.value for name, estimate in confirmed.values.items()}
