# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Fabrics: queries and rules."""

from collections.abc import Mapping
from typing import Any

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Busy, Conflict, NotFound
from api.configuration.settings import Settings
from api.database.models.campaign import StoredCampaign
from api.database.models.fabric import Fabric, FabricRecord
from api.database.models.job import Job, is_due
from api.fabric_drivers.plugin import PluginKind
from api.fabric_drivers.plugin_sockets import sockets
from api.fabric_drivers.registry import FABRIC_KINDS
from api.fabric_drivers.simulated import still_fits
from api.http.pages import Key, PageQuery, paginate
from api.services import second_person as second
from api.services.fabric_access import publish_change
from api.services.fabric_versions import add_version, wiring_of
from api.services.outdated_promotions import note_other_devices
from api.states.campaigns import AT_WORK
from api.states.checks import CHECK_JOB
from api.states.jobs import PENDING

DEFAULT_FABRIC = "two-switch"

FABRIC_JOBS = ("apply", "ask_devices", "clear_foreign", "verify", "rollback", "restore", "promote", "check_answer")
"""Kinds of jobs that change a fabric, or ask all of its devices; one at a time."""


def list_fabrics(session: Session, principal: Principal, page: PageQuery) -> tuple[list[Fabric], str | None]:
    """Returns a page of the fabrics in the order of their names, without those that the principal may not use."""
    query = select(Fabric)
    if principal.fabrics is not None:
        query = query.where(Fabric.name.in_(sorted(principal.fabrics)))
    return paginate(session, query, [Key(Fabric.name)], page)


def get_fabric(session: Session, name: str, *, locked: bool = False) -> Fabric:
    """Raises NotFound."""
    fabric = session.get(Fabric, name, with_for_update={"of": Fabric} if locked else None)
    if fabric is None:
        raise NotFound(f"There is no fabric {name!r:.80}.")
    return fabric


def create_fabric(
    session: Session,
    principal: Principal,
    name: str,
    kind: str,
    options: dict[str, Any],
    *,
    description: str = "",
    second_person: bool = False,
    origin: str = "the first",
) -> Fabric:
    """Raises Conflict if the name is taken, BadInputError for options that make no fabric, and Forbidden for a token that would
    choose its devices."""
    _require_devices(principal, kind, None, options)
    FABRIC_KINDS.get(kind).check(options)
    if session.get(Fabric, name) is not None:
        raise Conflict(f"There is a fabric '{name}' already; choose another name.")
    fabric = Fabric(
        name=name,
        kind=kind,
        options=options,
        description=description,
        second_person=second_person,
        created_by=principal.username,
        record=FabricRecord(),
    )
    session.add(fabric)
    session.flush()
    add_version(session, principal, fabric, None, origin)
    record_audit(session, principal, "fabric.create", f"fabric {name}", fabric=name, detail={"kind": kind})
    publish_change(session, name, "created")
    return fabric


def change_fabric(
    session: Session,
    principal: Principal,
    settings: Settings,
    fabric: Fabric,
    *,
    description: str | None,
    options: dict[str, Any] | None,
    second_person: bool | None,
    origin: str | None = None,
) -> None:
    """Changes what is not None. Other wiring is a new version; with `origin`, in words, it is one of the same fabric, which keeps
    its profiles if all of them fit. A second person is switched off by two admins. Raises Conflict where other options would pull
    the fabric from under work on it, or be a way around the second person."""
    detail: dict[str, Any] = {}
    if options is not None and options != fabric.options:
        _require_devices(principal, fabric.kind, fabric.options, options)
        second.require_no_way_around(session, settings, fabric, options)
        require_idle(session, fabric.name)
        FABRIC_KINDS.get(fabric.kind).check(options)
        before, fabric.options = fabric.options, options
        if origin is None or not still_fits(fabric.record.memory, options):
            fabric.record.memory = {}  # it is another fabric now
        fabric.record.load = None
        note_other_devices(session, fabric.name)
        detail["options"] = "changed"
        if wiring_of(before) != wiring_of(options):
            detail["version"] = add_version(session, principal, fabric, before, origin or "other options")
    if description is not None and description != fabric.description:
        fabric.description = description
        detail["description"] = description
    if second_person is not None:
        second.change(session, principal, fabric, second_person)
    fabric.revision += 1
    if detail or second_person is None:
        record_audit(session, principal, "fabric.change", f"fabric {fabric.name}", fabric=fabric.name, detail=detail)
    publish_change(session, fabric.name, "changed")


def delete_fabric(session: Session, principal: Principal, settings: Settings, fabric: Fabric) -> None:
    """Its campaigns stay. Raises Conflict while something works on it, or while it asks for a second person."""
    second.require_no_way_around(session, settings, fabric, None)
    require_idle(session, fabric.name)
    name = fabric.name
    session.delete(fabric)
    record_audit(session, principal, "fabric.delete", f"fabric {name}", fabric=name)
    publish_change(session, name, "deleted")


def _require_devices(principal: Principal, kind: str, old: Mapping[str, Any] | None, new: Mapping[str, Any]) -> None:
    """A token for some fabrics is for their devices, and not for those that it would make them mean. Raises Forbidden."""
    if kind == PluginKind.name and (old is None or sockets(new) != sockets(old)):
        principal.require_all_fabrics("options.socket chooses the devices of a fabric")


def require_idle(session: Session, name: str) -> None:
    """Raises Busy, naming what works on the fabric."""
    require_no_job(session, name)
    query = select(StoredCampaign).where(StoredCampaign.fabric == name, StoredCampaign.state.in_(AT_WORK)).limit(1)
    campaign = session.scalars(query).one_or_none()
    if campaign is not None:
        raise Busy(f"Campaign '{campaign.name}' ({campaign.id}) is {campaign.state} on fabric '{name}'; stop it first.")
    at_work = select(Job).where(Job.fabric == name, Job.kind == CHECK_JOB, Job.state.in_(PENDING)).limit(1)
    if (job := session.scalars(at_work).one_or_none()) is not None:
        raise Busy(f"Check '{job.arguments.get('check', job.id)}' is {job.state} on fabric '{name}'; cancel it first.")


def require_no_job(session: Session, name: str) -> None:
    """Raises Busy if a job changes the fabric now, or waits to; one that waits for a maintenance window does not count."""
    at_work = or_(Job.state == "running", is_due())
    query = select(Job).where(Job.fabric == name, Job.kind.in_(FABRIC_JOBS), at_work).limit(1)
    job = session.scalars(query).one_or_none()
    if job is not None:
        raise Busy(f"Job {job.id} ({job.kind}, of {job.created_by}) is {job.state} on fabric '{name}'; wait until it has ended.")


def ensure_default(session: Session, principal: Principal) -> None:
    """At the first start: a simulated fabric to try everything on."""
    if session.scalar(select(Fabric.name).limit(1)) is None:
        create_fabric(
            session,
            principal,
            DEFAULT_FABRIC,
            "simulated",
            {"fabric": "two-switch"},
            description="Two switches and seven hosts, simulated: try everything here.",
        )
