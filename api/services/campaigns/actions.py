# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Actions of people on campaigns. `api.states.campaigns` says who may do what in which state."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.problems import Conflict
from api.base.times import now
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.queue.table import enqueue, request_cancel
from api.services.campaigns.backend import SIMULATED, needs_hosts
from api.services.campaigns.events import record_action
from api.services.campaigns.files import DOCUMENT, checked
from api.services.campaigns.queries import CHALLENGE, challenge_at_work
from api.services.campaigns.stores import require_store
from api.services.inventories import require_inventory
from api.states.campaigns import CAMPAIGNS, CampaignAction
from api.states.jobs import PENDING
from tuner.errors import BadInputError


def start(session: Session, principal: Principal, campaign: StoredCampaign) -> Job:
    """Starts a draft. Raises Conflict."""
    _require(campaign, "start")
    return _enqueue(session, principal, campaign, "start")


def resume(
    session: Session, principal: Principal, campaign: StoredCampaign, *, state_folder: Path | None, measure_again: bool
) -> Job:
    """Keeps what was finished, and measures again what was being measured. `state_folder`: of campaigns' stores that are files.
    `measure_again`: trials that the store has lost too. Raises Conflict, StoreBehind."""
    _require(campaign, "resume")
    if state_folder is not None and not measure_again:
        require_store(session, campaign, state_folder)
    return _enqueue(session, principal, campaign, "resume", measure_again=measure_again)


def pause(session: Session, principal: Principal, campaign: StoredCampaign) -> None:
    """It stops soon and keeps what is finished. Raises Conflict."""
    _require(campaign, "pause")
    _end_early(session, campaign, "pause", "paused")
    record_action(session, principal, campaign, "pause", {})


def stop(session: Session, principal: Principal, campaign: StoredCampaign, *, confirm: bool) -> None:
    """Ends the search for good: at once, or, with `confirm`, with the confirmation of what it has found and the report. Raises
    Conflict."""
    if confirm:
        _require(campaign, "finish")
        campaign.requested_action = "finish"
        campaign.revision += 1
    else:
        _require(campaign, "stop")
        _end_early(session, campaign, "stop", "stopped")
    record_action(session, principal, campaign, "stop", {"confirm": confirm})


def extend(
    session: Session,
    principal: Principal,
    campaign: StoredCampaign,
    *,
    trials: int,
    time_s: float | None,
    state_folder: Path | None,
    measure_again: bool,
) -> Job:
    """Continues to `trials` trials in all, and to `time_s` seconds in all if that is given; `state_folder` and `measure_again` as
    resume(). Raises Conflict, StoreBehind, BadInputError."""
    _require(campaign, "extend")
    _require_no_challenge(session, campaign)
    if trials <= campaign.trials_done:
        raise BadInputError(
            f"trials is {trials}; campaign '{campaign.name}' has {campaign.trials_done} already, so it must be more than that"
        )
    if state_folder is not None and not measure_again:
        require_store(session, campaign, state_folder)
    budget = dict(campaign.spec.get("budget", {})) | {"trials": trials}
    if time_s is not None:
        budget["time_s"] = time_s
    campaign.spec = campaign.spec | {"budget": budget}
    document = json.loads(campaign.files[DOCUMENT]) | {"budget": budget}
    campaign.files = campaign.files | {DOCUMENT: json.dumps(document, indent=1, ensure_ascii=False)}
    checked(campaign.files, campaign.settings)
    campaign.trials_total = trials
    detail = {"trials": trials, "time_s": time_s}
    return _enqueue(session, principal, campaign, "extend", detail, measure_again=measure_again)


def challenge(session: Session, principal: Principal, campaign: StoredCampaign, *, runs: int, seed: int) -> Job:
    """Tries to break what it recommends, in simulations of at most `runs`. Raises Conflict."""
    if campaign.state != "finished":
        raise Conflict(f"Campaign '{campaign.name}' is {campaign.state} and recommends nothing yet; wait until it has finished.")
    _require_no_challenge(session, campaign)
    if campaign.recommended is None:
        raise Conflict(f"Campaign '{campaign.name}' recommends no profile, so there is nothing to challenge.")
    if campaign.spec.get("backend", SIMULATED) != SIMULATED or campaign.spec.get("confirm_on") is not None:
        raise Conflict(f"Campaign '{campaign.name}' measures on more than the simulated backend, and a challenge is simulated.")
    arguments = {"campaign": campaign.id, "name": campaign.name, "runs": runs, "seed": seed}
    job = enqueue(session, principal, CHALLENGE, arguments, fabric=campaign.fabric)
    record_action(session, principal, campaign, "challenge", {"job": job.id, "runs": runs, "seed": seed})
    return job


def _require_no_challenge(session: Session, campaign: StoredCampaign) -> None:
    """Raises Conflict."""
    if challenge_at_work(session, campaign) is not None:
        raise Conflict(f"A challenge of campaign '{campaign.name}' has not ended; wait for it, or cancel its job.")


def archive(session: Session, principal: Principal, campaign: StoredCampaign, *, archived: bool) -> None:
    """Puts it into the archive or takes it out again. Raises Conflict."""
    _require(campaign, "archive")
    if campaign.archived != archived:
        campaign.archived = archived
        campaign.revision += 1
        record_action(session, principal, campaign, "archive", {"archived": archived})


def delete_campaign(session: Session, principal: Principal, campaign: StoredCampaign) -> None:
    """Deletes it with its trials and its report. Raises Conflict."""
    _require(campaign, "delete")
    _require_no_challenge(session, campaign)
    record_action(session, principal, campaign, "delete", {})
    session.delete(campaign)


def _require(campaign: StoredCampaign, action: CampaignAction) -> None:
    """Raises Conflict."""
    if refusal := CAMPAIGNS.refusal(action, campaign.state, f"'{campaign.name}'"):
        raise Conflict(refusal)


def _enqueue(
    session: Session,
    principal: Principal,
    campaign: StoredCampaign,
    action: str,
    detail: Mapping[str, Any] | None = None,
    *,
    measure_again: bool = False,
) -> Job:
    if session.get(Fabric, campaign.fabric) is None:
        raise Conflict(
            f"Fabric '{campaign.fabric}' of campaign '{campaign.name}' was deleted; clone the campaign onto another fabric."
        )
    if needs_hosts(campaign.spec):
        require_inventory(session, campaign.fabric)
    more = {"measure_again": True} if measure_again else {}
    arguments = {"campaign": campaign.id, "name": campaign.name} | more
    job = enqueue(session, principal, "campaign", arguments, fabric=campaign.fabric)
    campaign.state, campaign.job, campaign.requested_action, campaign.problem = "queued", job.id, None, None
    campaign.ended_at, campaign.ended, campaign.archived = None, None, False
    campaign.revision += 1
    record_action(session, principal, campaign, action, {"job": job.id, **(detail or {}), **more})
    return job


def _end_early(session: Session, campaign: StoredCampaign, action: str, end: str) -> None:
    """A running campaign is asked to end; one that does not run is in the state `end` at once."""
    job = None if campaign.job is None else session.get(Job, campaign.job, with_for_update=True)
    if job is not None and job.state == "running":
        campaign.state, campaign.requested_action = "pausing", action
    else:
        # The reason for which a campaign waited does not hold any more.
        campaign.state, campaign.ended_at, campaign.problem = end, now() if end == "stopped" else None, None
        if job is not None and job.state in PENDING:
            request_cancel(session, job)
    campaign.revision += 1
