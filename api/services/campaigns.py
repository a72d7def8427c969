# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Campaigns: queries and rules. What runs them is in `api.jobs.kinds.campaign`."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.audit import record_audit
from api.database.models.campaign import AT_WORK, RUNS_BY_ITSELF, CampaignPaper, StoredCampaign
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.events.publish import publish
from api.fabrics.registry import FABRIC_KINDS
from api.pages import Key, PageQuery, paginate
from api.problems import Conflict, NotFound
from api.queue.table import FINISHED, enqueue, request_cancel
from api.services.campaign_files import DOCUMENT, checked, frozen
from api.services.campaign_trials import best_params
from api.services.fabric_access import spec_of
from api.services.inventories import find_inventory, inventory_of, require_inventory
from api.times import now, rfc3339
from tuner.campaign.needed_hosts import CLUSTER, require_hosts
from tuner.campaign.setup import Setup
from tuner.campaign.shipped import shipped_campaigns
from tuner.document_base.renames import SETTING, renamed_or_bad_input
from tuner.document_base.yaml_core import Document
from tuner.documents.inventory import Inventory
from tuner.documents.overrides import overridden
from tuner.errors import BadInputError

SIMULATED = "simulated"

ENDED = ("finished", "failed", "stopped")


def list_campaigns(
    session: Session, principal: Principal, page: PageQuery, *, state: str | None, fabric: str | None
) -> tuple[list[StoredCampaign], str | None]:
    """Newest first."""
    query = select(StoredCampaign)
    if state is not None:
        query = query.where(StoredCampaign.state == state)
    if fabric is not None:
        query = query.where(StoredCampaign.fabric == fabric)
    if principal.fabrics is not None:
        query = query.where(StoredCampaign.fabric.in_(sorted(principal.fabrics)))
    return paginate(session, query, [Key(StoredCampaign.id, descending=True)], page)


def get_campaign(session: Session, principal: Principal, campaign_id: str, *, locked: bool = False) -> StoredCampaign:
    """`locked`: to do something with it. Raises NotFound, also for one of a fabric that one may not use."""
    campaign = session.get(StoredCampaign, campaign_id, with_for_update=locked)
    if campaign is None or not principal.may_use(campaign.fabric):
        raise NotFound(f"There is no campaign {campaign_id!r:.80}.")
    return campaign


def create_campaign(
    session: Session,
    principal: Principal,
    *,
    name: str,
    fabric: Fabric,
    template: str | None,
    spec: Mapping[str, Any] | None,
    settings: Mapping[str, Any],
    on_simulator: bool = False,
) -> StoredCampaign:
    """A draft. `settings`: values by dotted path into the document, and `model.…` of simulated devices. Raises BadInputError,
    NotFound."""
    document, model = _document(name, template, spec, settings)
    backend = _backend(fabric, on_simulator)
    document["backend"] = backend
    if backend != SIMULATED:
        document["parallel"] = 1  # one fabric, one profile at a time
        if model:
            raise BadInputError(f"model.{next(iter(model))} is of simulated devices; fabric '{fabric.name}' has its own")
    _check_confirm_on(fabric, document.get("confirm_on"))
    inventory = _inventory(session, fabric) if needs_hosts(document) else None
    files = frozen(session, principal, fabric, document)
    setup = checked(files, model)
    if inventory is not None:
        require_hosts(setup, search=inventory, confirmation=inventory)
    campaign = StoredCampaign(
        name=name,
        fabric=fabric.name,
        state="draft",
        template=template,
        spec=document,
        settings=dict(model),
        files=files,
        goals=_goals(setup),
        trials_total=setup.campaign.budget.trials,
        created_by=principal.username,
    )
    session.add(campaign)
    session.flush()
    _record(session, principal, campaign, "create", {"template": template})
    return campaign


def start(session: Session, principal: Principal, campaign: StoredCampaign) -> Job:
    """Raises Conflict for one that is no draft."""
    _require(campaign, ("draft",), "start")
    return _enqueue(session, principal, campaign, "start")


def resume(session: Session, principal: Principal, campaign: StoredCampaign) -> Job:
    """What was finished is kept; what was being measured is measured again. Raises Conflict."""
    _require(campaign, ("paused", "stopped", "failed"), "resume")
    return _enqueue(session, principal, campaign, "resume")


def pause(session: Session, principal: Principal, campaign: StoredCampaign) -> None:
    """It stops soon and keeps what is finished. Raises Conflict."""
    _require(campaign, RUNS_BY_ITSELF, "pause")
    _wish(session, campaign, "pause", "paused")
    _record(session, principal, campaign, "pause", {})


def stop(session: Session, principal: Principal, campaign: StoredCampaign, *, confirm: bool) -> None:
    """Ends the search for good: at once, or, with `confirm`, with the confirmation of what it has found and the report. Raises
    Conflict."""
    _require(campaign, ("draft", *AT_WORK, "paused"), "stop")
    if confirm and campaign.state not in ("running", "waiting"):
        raise Conflict(f"Campaign '{campaign.name}' is {campaign.state}; only one that runs can confirm what it has found.")
    if confirm:
        campaign.wish = "finish"
        campaign.revision += 1
    else:
        _wish(session, campaign, "stop", "stopped")
    _record(session, principal, campaign, "stop", {"confirm": confirm})


def extend(session: Session, principal: Principal, campaign: StoredCampaign, trials: int, time_s: float | None) -> Job:
    """Goes on to more trials in all, with more time if that is said. Raises Conflict, BadInputError."""
    _require(campaign, ("paused", *ENDED), "extend")
    if trials <= campaign.trials_done:
        raise BadInputError(f"trials is {trials}; campaign '{campaign.name}' has {campaign.trials_done} already")
    budget = dict(campaign.spec.get("budget", {})) | {"trials": trials}
    if time_s is not None:
        budget["time_s"] = time_s
    campaign.spec = campaign.spec | {"budget": budget}
    document = json.loads(campaign.files[DOCUMENT]) | {"budget": budget}
    campaign.files = campaign.files | {DOCUMENT: json.dumps(document, indent=1, ensure_ascii=False)}
    checked(campaign.files, campaign.settings)
    campaign.trials_total = trials
    return _enqueue(session, principal, campaign, "extend", {"trials": trials, "time_s": time_s})


def clone(
    session: Session, principal: Principal, old: StoredCampaign, fabric: Fabric, *, name: str, starts: int
) -> StoredCampaign:
    """A draft with the same settings, maybe on another fabric. `starts`: so many of the old one's best profiles are measured
    first."""
    spec = dict(old.spec)
    if starts:
        signs = {goal["name"]: -1 if goal["direction"] == "maximize" else 1 for goal in old.goals}
        best = best_params(session, old.id, signs, starts)
        spec["start_values"] = {f"{old.name}-{number}": params for number, params in best.items()}
    campaign = create_campaign(
        session,
        principal,
        name=name,
        fabric=fabric,
        template=None,
        spec=spec,
        settings={f"model.{key}": value for key, value in old.settings.items()},
        on_simulator=old.spec.get("backend") == SIMULATED,
    )
    campaign.template = old.template
    return campaign


def delete_campaign(session: Session, principal: Principal, campaign: StoredCampaign) -> None:
    """With its trials and report. Raises Conflict while it is at work."""
    _require(campaign, ("draft", "paused", *ENDED), "delete")
    _record(session, principal, campaign, "delete", {})
    session.delete(campaign)


def paper(session: Session, campaign: StoredCampaign, name: str) -> str:
    """Raises NotFound."""
    found = session.get(CampaignPaper, (campaign.id, name))
    if found is None:
        raise NotFound(f"Campaign '{campaign.name}' is {campaign.state} and has no {name}; that comes with its end.")
    return found.text


def tell(session: Session, campaign: StoredCampaign, kind: str, data: Mapping[str, Any]) -> None:
    """To those who listen to `campaign:ID`."""
    publish(session, f"campaign:{campaign.id}", kind, {"campaign": campaign.id, **data}, fabric=campaign.fabric)


def tell_state(session: Session, campaign: StoredCampaign) -> None:
    tell(
        session,
        campaign,
        "state",
        {
            "state": campaign.state,
            "phase": campaign.phase,
            "trials_done": campaign.trials_done,
            "trials_total": campaign.trials_total,
            "problem": campaign.problem,
            "ended_at": None if campaign.ended_at is None else rfc3339(campaign.ended_at),
            "resumes_at": None if campaign.resumes_at is None else rfc3339(campaign.resumes_at),
        },
    )


def _document(
    name: str, template: str | None, spec: Mapping[str, Any] | None, settings: Mapping[str, Any]
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(document, model settings)."""
    if (template is None) == (spec is None):
        raise BadInputError("give either template, the name of one that ships, or spec, a campaign document; not both")
    if template is not None:
        known = shipped_campaigns()
        if template not in known:
            raise NotFound(f"There is no campaign template {template!r:.80}; there are {', '.join(known)}.")
        spec = known[template].spec
    settings = renamed_or_bad_input(SETTING, settings, "settings")
    spec = renamed_or_bad_input("campaign", spec, "spec")
    model = {key.removeprefix("model."): value for key, value in settings.items() if key.startswith("model.")}
    for key in settings:
        if key.startswith("backend."):
            raise BadInputError(f"settings has '{key}'; the service itself says how the fabric is reached")
    changes = {key: value for key, value in settings.items() if not key.startswith("model.")}
    changed = overridden(Document(source=None, value=dict(spec or {}), lines={}), changes).value
    assert isinstance(changed, dict)
    return dict(changed) | {"name": name}, model


def _backend(fabric: Fabric, on_simulator: bool) -> str:
    if on_simulator:
        return SIMULATED
    return {"simulated": SIMULATED, "emulated": "emulated"}.get(fabric.kind, CLUSTER)


def _check_confirm_on(fabric: Fabric, confirm_on: object) -> None:
    """Backends have settings that name files and sockets of this machine: those are not for everybody who may make a campaign."""
    if not isinstance(confirm_on, dict):
        return
    known = sorted({SIMULATED, _backend(fabric, on_simulator=False)})
    if confirm_on.get("backend") not in known:
        raise BadInputError(
            f"confirm_on.backend is {confirm_on.get('backend')!r:.60}; on fabric '{fabric.name}' it may be {', '.join(known)}"
        )
    settings = confirm_on.get("settings") or {}
    for key in settings if isinstance(settings, dict) else ():
        if not str(key).startswith("model."):
            raise BadInputError(f"confirm_on.settings has '{key}'; only model.… of simulated devices may be set")


def needs_hosts(spec: Mapping[str, Any]) -> bool:
    """Whether a campaign measures on hosts of an inventory, for its search or for its confirmation."""
    confirm_on = spec.get("confirm_on")
    return CLUSTER in (spec.get("backend"), confirm_on.get("backend") if isinstance(confirm_on, dict) else None)


def _inventory(session: Session, fabric: Fabric) -> Inventory:
    row = find_inventory(session, fabric.name)
    if row is None:
        raise BadInputError(
            f"fabric '{fabric.name}' has no inventory, which says where its hosts are, so no campaign can measure on it; an "
            "administrator adds one under Hosts, or measure in the simulator (on_simulator)"
        )
    return inventory_of(row)


def backend_of(fabric: Fabric, backend: str) -> dict[str, Any]:
    """How the backend reaches the fabric now. Raises UnreachableError."""
    if backend == SIMULATED or backend != _backend(fabric, on_simulator=False):
        return {}
    return FABRIC_KINDS.get(fabric.kind).backend(spec_of(fabric))[1]


def _goals(setup: Setup) -> list[Any]:
    corner = setup.campaign.hypervolume_reference
    return [
        {
            "name": objective.name,
            "title": objective.name.replace("_", " "),
            "unit": objective.unit,
            "direction": objective.direction,
            "hypervolume_reference": corner[objective.name],
        }
        for objective in setup.objectives
    ]


def _enqueue(
    session: Session, principal: Principal, campaign: StoredCampaign, action: str, detail: Mapping[str, Any] | None = None
) -> Job:
    if session.get(Fabric, campaign.fabric) is None:
        raise Conflict(f"Fabric '{campaign.fabric}' of campaign '{campaign.name}' is there no more; clone it onto another.")
    if needs_hosts(campaign.spec):
        require_inventory(session, campaign.fabric)
    job = enqueue(session, principal, "campaign", {"campaign": campaign.id}, fabric=campaign.fabric)
    campaign.state, campaign.job, campaign.wish, campaign.problem = "queued", job.id, None, None
    campaign.ended_at, campaign.ended = None, None
    campaign.revision += 1
    _record(session, principal, campaign, action, {"job": job.id, **(detail or {})})
    return job


def _wish(session: Session, campaign: StoredCampaign, wish: str, end: str) -> None:
    """Of a running one it is asked; one that does not run is at that end now."""
    job = None if campaign.job is None else session.get(Job, campaign.job, with_for_update=True)
    if job is not None and job.state == "running":
        campaign.state, campaign.wish = "pausing", wish
    else:
        # What a campaign waited for is no reason any more.
        campaign.state, campaign.ended_at, campaign.problem = end, now() if end == "stopped" else None, None
        if job is not None and job.state not in FINISHED:
            request_cancel(session, job)
    campaign.revision += 1


def _require(campaign: StoredCampaign, states: Sequence[str], action: str) -> None:
    if campaign.state not in states:
        raise Conflict(f"Campaign '{campaign.name}' is {campaign.state}; to {action} it, it has to be {' or '.join(states)}.")


def _record(session: Session, principal: Principal, campaign: StoredCampaign, action: str, detail: Mapping[str, Any]) -> None:
    object = f"campaign {campaign.name} ({campaign.id})"
    record_audit(session, principal, f"campaign.{action}", object, fabric=campaign.fabric, detail=dict(detail))
    session.flush()
    tell_state(session, campaign)
