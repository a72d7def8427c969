# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Runs a campaign, or resumes it. `tuner.campaign` does all the work and keeps it in its own store, which survives a kill at any
point; `api.jobs.campaign_watch` copies it into the service's tables."""

import functools
import json
import time
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from optuna.exceptions import StorageInternalError
from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.base.private_folder import make_private_folder
from api.base.times import now
from api.database.models.campaign import CampaignArtifact, StoredCampaign
from api.database.models.fabric import Fabric, FabricRecord
from api.database.models.job import Job
from api.database.unreadable import unreadable_columns
from api.jobs.campaign_watch import CampaignWatch, confirmed_document, on_devices
from api.jobs.fabric_job import UP_S
from api.jobs.lease import postpone
from api.queue.context import JobContext, Postponed, Stopped
from api.queue.kind import KINDS
from api.services.campaigns.backend import SIMULATED, connection_settings
from api.services.campaigns.events import publish_state
from api.services.campaigns.files import INVENTORY, identities_of, place_of, setup_of
from api.services.campaigns.series import SeriesRecorder, SeriesShelf
from api.services.campaigns.stores import STORE, behind_sentence, drop_missing, folder_of, row_count
from api.services.fabric_access import publish_change
from api.services.fabrics import get_fabric
from api.services.inventories import inventory_of, placed_inventory, require_inventory
from api.services.measured_load import kept_load
from api.services.second_person import require_windows
from api.states.campaigns import AT_WORK
from tuner.backends.registry import create_backend
from tuner.campaign.result import CampaignResult
from tuner.campaign.runner import run_campaign
from tuner.campaign.setup import Setup
from tuner.campaign.store import CampaignStore
from tuner.errors import (
    ApplyFailedError,
    BadInputError,
    InterruptedRunError,
    NeedsPersonError,
    UnreachableError,
    WindowClosedError,
)
from tuner.measuring.backend import Backend
from tuner.measuring.options import BackendOptions
from tuner.report.document import report_document
from tuner.report.html import report_html
from tuner.report.write import profiles_for_models

_FREE_S = 60.0
"""Longest wait, in seconds, for the former worker to release the campaign's store."""


_KEPT = "kept_when_begun"
"""Fact: what CampaignStore.kept() was when the last worker began."""


@dataclass(frozen=True)
class Facts:
    """Values of the campaign's row when the job began."""

    campaign: str
    name: str
    fabric: str
    created_by: str
    files: dict[str, Any]
    model: dict[str, Any]


class CampaignJob:
    """A worker that is lost loses what was being measured, and no more."""

    resumable: bool = True
    urgent: bool = False
    place: Literal["any", "server"] = "any"

    def run(self, context: JobContext, arguments: dict[str, Any]) -> dict[str, Any]:
        facts = self._begin(context, arguments["campaign"])
        if not isinstance(facts, Facts):
            return facts
        return self._run(context, facts, measure_again=bool(arguments.get("measure_again")))

    def given_up(self, session: Session, job: Job) -> None:
        # Other code locks the campaign's row before the job's. A row that is locked now is left to api.jobs.lease.recover.
        query = select(StoredCampaign).where(StoredCampaign.job == job.id, StoredCampaign.state.in_(AT_WORK))
        row = session.scalars(query.with_for_update(skip_locked=True)).one_or_none()
        if row is not None:
            _settle(session, row, _ends_as(row) if job.state == "cancelled" else "failed", problem=job.problem)

    def _begin(self, context: JobContext, campaign_id: str) -> Facts | dict[str, Any]:
        """Or the result, if somebody has asked that it ends before it began again."""
        with context.database.writing() as session:
            row = session.get(StoredCampaign, campaign_id, with_for_update=True)
            if row is None:
                raise BadInputError(f"campaign {campaign_id} was deleted")
            if names := unreadable_columns(row):
                raise BadInputError(
                    f"the row of campaign {campaign_id} cannot be read ({', '.join(names)}); take it from a backup"
                )
            if row.state == "pausing":
                _settle(session, row, _ends_as(row))
                return {"state": row.state, "trials": row.trials_done}
            row.state, row.problem = "running", None
            row.started_at = row.started_at or now()
            row.revision += 1
            publish_state(session, row)
            return Facts(row.id, row.name, row.fabric, row.created_by, dict(row.files), dict(row.settings))

    def _run(self, context: JobContext, facts: Facts, *, measure_again: bool) -> dict[str, Any]:
        folder = folder_of(context.settings.state_folder, facts.campaign)
        make_private_folder(folder)
        setup = setup_of(facts.files, facts.model, folder)
        shelf = SeriesShelf()
        options = BackendOptions(
            settings={f"model.{key}": value for key, value in facts.model.items()}
            | self._reach(context, facts, setup.campaign.backend, folder),
            profiles=setup.profiles,
            owner=f"campaign {facts.name} of {facts.created_by}, through the ibcc service",
        )
        with opened_store(context, facts, setup, folder) as store:
            self._require_whole(context, facts, store, measure_again=measure_again)
            watch = CampaignWatch(context, facts.campaign, setup, store, shelf)
            watch.reconcile()
            self._count_attempts(context, store)
            store.remember("settings", {"campaign": setup.campaign.model_dump(mode="json", exclude_unset=True), "set": []})
            try:
                result = run_campaign(
                    setup,
                    store,
                    functools.partial(_recording, setup.campaign.backend, options, shelf),
                    open_other=lambda name, settings: create_backend(
                        name, replace(options, settings={**self._reach(context, facts, name, folder), **settings})
                    ),
                    listener=watch,
                    should_stop=watch.should_stop,
                )
            except WindowClosedError as error:
                self._await_window(context, facts.campaign, error)
                watch.look()
                return self._interrupted(context, facts, watch, store)
            except InterruptedRunError:
                return self._interrupted(context, facts, watch, store)
            except (ApplyFailedError, NeedsPersonError):
                # Whoever restored the fabric under it has asked for a pause before.
                watch.look()
                if not watch.is_to_end:
                    raise
                return self._interrupted(context, facts, watch, store)
            except (SQLAlchemyError, StorageInternalError) as error:
                reason = str(getattr(error.__cause__ or error, "orig", error)).splitlines()[0]
                raise UnreachableError(f"the campaign's storage failed ({reason}); finished trials are kept") from error
            ended = str(store.recall("ended") or "")
        return self._finished(context, facts, result, ended)

    @staticmethod
    def _require_whole(context: JobContext, facts: Facts, store: CampaignStore, *, measure_again: bool) -> None:
        """Raises NeedsPersonError if the store has fewer trials than the database, unless somebody wants them measured again."""
        if measure_again:
            with context.database.writing() as session:
                drop_missing(session, facts.campaign, {record.number for record in store.records()})
            return
        with context.database.reading() as session:
            rows = row_count(session, facts.campaign)
        if rows > store.finished():
            raise NeedsPersonError(behind_sentence(facts.name, facts.campaign, store.finished(), rows))

    @staticmethod
    def _count_attempts(context: JobContext, store: CampaignStore) -> None:
        """A campaign of weeks may lose many workers: only those count that are lost where it gets no further."""
        kept = store.kept()
        if kept > store.recall(_KEPT, kept):
            context.count_from_here()
        store.remember(_KEPT, kept)

    def _reach(self, context: JobContext, facts: Facts, backend: str, folder: Path) -> dict[str, Any]:
        """Returns settings with which the backend reaches the fabric; waits up to UP_S while an emulated one is starting.
        Raises UnreachableError, and Conflict if the fabric has no inventory any more."""
        deadline_s = time.monotonic() + UP_S
        while True:
            with context.database.reading() as session:
                fabric = get_fabric(session, facts.fabric)
                try:
                    reach = connection_settings(fabric, backend)
                    return reach | (_hosts(context, session, fabric, facts, folder) if backend == "cluster" else {})
                except UnreachableError:
                    if time.monotonic() >= deadline_s:
                        raise
            context.wait(1.0)
            context.raise_if_stopping()

    def _interrupted(self, context: JobContext, facts: Facts, watch: CampaignWatch, store: CampaignStore) -> dict[str, Any]:
        finished = store.finished()
        if watch.is_to_end:
            state = "paused" if watch.requested == "pause" else "stopped"
            with context.database.writing() as session:
                row = session.get(StoredCampaign, facts.campaign, with_for_update=True)
                if row is not None:
                    _settle(session, row, state)
            return {"state": state, "trials": finished}
        raise Stopped

    def _await_window(self, context: JobContext, campaign_id: str, error: WindowClosedError) -> None:
        """Raises Postponed: it continues when the window opens, unless somebody has asked meanwhile that it ends."""
        with context.database.writing() as session:
            row = session.get(StoredCampaign, campaign_id, with_for_update=True)
            if row is None or row.requested_action in ("pause", "stop"):
                return
            # In one transaction, so that nobody meets a campaign that waits with a job that runs.
            if not postpone(session, context.worker, context.job_id, error.opens_at):
                raise Stopped
            row.state, row.problem, row.waits_until = "waiting", str(error), error.opens_at
            row.revision += 1
            publish_state(session, row)
            _publish_on_fabric(session, row)
        raise Postponed

    def _finished(self, context: JobContext, facts: Facts, result: CampaignResult, ended: str) -> dict[str, Any]:
        document = report_document(result, commands=[])
        recommended = document["recommended"]
        artifacts = {
            "report.json": json.dumps(document, ensure_ascii=False, allow_nan=False),
            "report.html": report_html(document),
        }
        if recommended is not None:
            artifacts["profile.yaml"] = recommended["profile_yaml"]
        artifacts |= {profile["file"]: profile["profile_yaml"] for profile in profiles_for_models(document)}
        sentence = None if recommended is not None else " ".join(document["headline"]["sentences"])
        with context.database.writing() as session:
            row = session.get_one(StoredCampaign, facts.campaign, with_for_update=True)
            for name, text in artifacts.items():
                session.merge(CampaignArtifact(campaign=row.id, name=name, text=text))
            row.state, row.ended_at, row.ended, row.problem, row.requested_action = "finished", now(), ended, sentence, None
            row.recommended = None if recommended is None else recommended["trial"]
            row.finding, row.progress = document["finding"], None
            if result.recommended is not None:
                row.best = confirmed_document(result, result.recommended) | on_devices(document)
            row.importance = dict(document["importance"]["shares"])
            row.trials_done, row.elapsed_s = document["counts"]["trials"], document["elapsed_s"]
            row.revision += 1
            publish_state(session, row)
            self._keep_load(session.get(FabricRecord, row.fabric), result, row.name)
            _publish_on_fabric(session, row)
        return {"state": "finished", "trials": document["counts"]["trials"], "recommended": row.recommended}

    @staticmethod
    def _keep_load(record: FabricRecord | None, result: CampaignResult, campaign: str) -> None:
        if record is None or result.setup.campaign.backend != SIMULATED:
            return
        record.load = kept_load(result, campaign) or record.load


def opened_store(context: JobContext, facts: Facts, setup: Setup, folder: Path) -> CampaignStore:
    """Waits until a former worker has released it. Raises BadInputError if it does not."""
    identity, former = identities_of(setup, folder)
    location = str(folder / STORE) if context.database.is_sqlite else context.settings.database
    deadline_s = time.monotonic() + _FREE_S
    while True:
        try:
            return CampaignStore.open(
                location,
                f"{facts.name} {facts.campaign}",
                former_name=facts.campaign,
                identity=identity,
                former_identities=former,
                outdated=setup.outdated,
                objectives=setup.objectives,
            )
        except BadInputError as error:
            if "in use" not in error.sentence or time.monotonic() >= deadline_s:
                raise
        context.wait(0.5)
        context.raise_if_stopping()


def _ends_as(row: StoredCampaign) -> str:
    return "stopped" if row.requested_action == "stop" else "paused"


def _settle(session: Session, row: StoredCampaign, state: str, *, problem: str | None = None) -> None:
    # One that is pausing may say already who asked for that, and why.
    row.problem = problem or (row.problem if row.state == "pausing" else None)
    row.state, row.requested_action, row.progress = state, None, None
    row.ended_at = None if state == "paused" else now()
    row.revision += 1
    publish_state(session, row)
    _publish_on_fabric(session, row)


def _publish_on_fabric(session: Session, row: StoredCampaign) -> None:
    data = {"campaign": row.id, "name": row.name, "state": row.state, "problem": row.problem}
    publish_change(session, row.fabric, "campaign", data)


def _hosts(context: JobContext, session: Session, fabric: Fabric, facts: Facts, folder: Path) -> dict[str, Any]:
    """The fabric's inventory as it is now, for the campaign's folder: who is where may change while a campaign is paused, and
    what it compares does not depend on it."""
    path = folder / INVENTORY
    row = require_inventory(session, fabric.name)
    require_windows(session, context.settings, fabric, inventory_of(row))
    text = placed_inventory(row, fabric, context.settings, place_of(fabric, facts.files))
    path.write_text(text, encoding="utf-8")
    return {"backend.inventory": str(path)}


def _recording(name: str, options: BackendOptions, shelf: SeriesShelf) -> Backend:
    return SeriesRecorder(create_backend(name, options), shelf)


KINDS.add("campaign", CampaignJob())
