# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Actions of people on a fabric. Each looks at the fabric before any transaction, since a fabric may take its time, and then puts
a job into the table, in the transaction that writes the audit log."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Busy, Conflict, InvalidInput, Problem
from api.configuration.settings import Settings
from api.database.engine import Database
from api.database.models.fabric import Fabric
from api.database.models.job import Job
from api.fabric_drivers.base import FabricState, Held, Plan
from api.queue.table import enqueue
from api.services.belonging import require_usable
from api.services.campaigns.holds import pause_holders
from api.services.fabric_access import connected, kind_of
from api.services.fabrics import get_fabric, require_no_job
from api.services.profiles import VersionedProfile, get_profile
from api.services.second_person import may_clear_foreign, require_time
from ccsim.policy import Profile
from tuner.errors import IbccError

T = TypeVar("T")


class Deferred(Generic[T]):
    """The outcome of a call that is made now: get() returns what it returned, or raises what it raised. A request that is sent
    again gets its first answer, whatever a second call would find."""

    def __init__(self, call: Callable[[], T]) -> None:
        self._value: T | None = None
        self._error: Exception | None = None
        try:
            self._value = call()
        except (IbccError, Problem) as error:
            self._error = error

    def get(self) -> T:
        if self._error is not None:
            raise self._error
        assert self._value is not None
        return self._value


@dataclass(frozen=True, kw_only=True)
class FabricView:
    """A fabric with its state, and what a profile would change there."""

    fabric: Fabric
    state: FabricState
    profile: VersionedProfile | None = None
    plan: Plan | None = None


def owner_of(username: str) -> str:
    """Returns the name under which a fabric knows the owner of a trial run."""
    return f"{username}, through the ibcc service"


def view_fabric(
    database: Database, principal: Principal, fabric_name: str, profile_name: str | None = None, version: int | None = None
) -> FabricView:
    """Raises NotFound, UnreachableError, and BadInputError for a profile that contradicts itself on the fabric."""
    with database.reading() as session:
        fabric = get_fabric(session, fabric_name)
        profile = None if profile_name is None else get_profile(session, profile_name, version)
        if profile is not None:
            require_usable(principal, "profile", profile.name, "profile", profile.belongs_to, fabric_name)
    with connected(database, fabric) as driver:
        plan = None if profile is None else driver.plan(profile.profile)
        return FabricView(fabric=fabric, state=driver.state(), profile=profile, plan=plan)


def rollback_plan(database: Database, fabric_name: str) -> tuple[Held, Plan]:
    """Returns the former base, and what a rollback to it would change. Raises Conflict where there is none, NotFound and
    UnreachableError."""
    with database.reading() as session:
        fabric = get_fabric(session, fabric_name)
    with connected(database, fabric) as driver:
        state = driver.state()
        if state.former is None:
            after = "" if state.base is None else f" before '{state.base.name}'"
            raise Conflict(f"Fabric '{fabric_name}' has no base profile{after} to roll back to.")
        return state.former, driver.plan(Profile.from_text(state.former.document))


def request_apply(session: Session, principal: Principal, settings: Settings, view: FabricView, ttl_s: int) -> Job:
    """Raises Busy while somebody else's trial run or another job is running. Raises InvalidInput for a trial run that has nothing
    to return to, neither a base nor what devices were found with, or that replaces a promotion which needs a second person."""
    assert view.profile is not None
    assert view.plan is not None
    if not view.state.can_return:
        raise InvalidInput.of_field(
            "ttl_s",
            f"fabric '{view.fabric.name}' has no base profile to which a trial run could return after {ttl_s} s; a promotion "
            "would be right.",
        )
    _require_free(session, view, owner_of(principal.username))
    require_time(session, settings, get_fabric(session, view.fabric.name), ttl_s)
    what = f"profile {view.profile.name} version {view.profile.version}"
    return _job(
        session,
        principal,
        "apply",
        view,
        what,
        {"document": view.plan.wanted, "profile": view.profile.name, "version": view.profile.version, "ttl_s": ttl_s},
        {"ttl_s": ttl_s, "devices": view.plan.now.devices, "mads": view.plan.now.mads},
    )


def request_verify(session: Session, principal: Principal, view: FabricView) -> Job:
    require_no_job(session, view.fabric.name)
    return _job(session, principal, "verify", view, f"fabric {view.fabric.name}", {}, {})


def request_ask_devices(session: Session, principal: Principal, view: FabricView) -> Job:
    """Raises Conflict for a fabric without an OpenSM, and Busy while another job is at work."""
    if not kind_of(view.fabric).has_opensm:
        raise Conflict(f"Fabric '{view.fabric.name}' is {view.fabric.kind}, so its document says which attributes devices have.")
    require_no_job(session, view.fabric.name)
    return _job(session, principal, "ask_devices", view, f"fabric {view.fabric.name}", {}, {})


def request_clear_foreign(session: Session, principal: Principal, settings: Settings, view: FabricView) -> Job | None:
    """Returns None if an admin has asked for it, and another one must too. Raises Conflict if no device is foreign, Forbidden if
    both requests could be one person's, and Busy while another job is running."""
    count = view.state.devices.get("foreign", 0)
    if not count:
        raise Conflict(f"No device of fabric '{view.fabric.name}' is foreign, so there is nothing to clear.")
    require_no_job(session, view.fabric.name)
    fabric = get_fabric(session, view.fabric.name, locked=True)
    if not may_clear_foreign(session, principal, settings, fabric):
        return None
    return _job(session, principal, "clear_foreign", view, f"fabric {view.fabric.name}", {}, {"devices": count})


def request_restore(session: Session, principal: Principal, view: FabricView) -> Job:
    """Never refused: it waits for what is at work. Campaigns on the fabric are paused, or they would lose what they measure and
    fail."""
    experiment = view.state.experiment
    detail: dict[str, Any] = {} if experiment is None else {"ended": experiment.profile.name, "owner": experiment.owner}
    if paused := pause_holders(session, principal, view.fabric.name):
        detail["paused"] = ", ".join(paused)
    return _job(session, principal, "restore", view, f"fabric {view.fabric.name}", {}, detail)


def request_rollback(session: Session, principal: Principal, view: FabricView) -> Job:
    """Raises Busy during an experiment."""
    _require_free(session, view, None)
    base = view.state.base
    arguments = {"from_revision": None if base is None else base.revision}
    detail = {} if base is None else {"from": base.name, "revision": base.revision}
    return _job(session, principal, "rollback", view, f"fabric {view.fabric.name}", arguments, detail)


def _require_free(session: Session, view: FabricView, owner: str | None) -> None:
    require_no_job(session, view.fabric.name)
    require_no_experiment(view, *filter(None, [owner]))


def require_no_experiment(view: FabricView, *owners: str) -> None:
    """Raises Busy, naming the holder, unless that is one of `owners`."""
    experiment = view.state.experiment
    if experiment is not None and experiment.owner not in owners:
        raise Busy(
            f"{experiment.owner or 'Somebody'} has a trial run of profile '{experiment.profile.name}' on fabric "
            f"'{view.fabric.name}'; wait until that has ended, or restore the base profile first."
        )


def _job(
    session: Session,
    principal: Principal,
    kind: str,
    view: FabricView,
    what: str,
    arguments: dict[str, Any],
    detail: dict[str, Any],
) -> Job:
    name = view.fabric.name
    common = {"fabric": name, "owner": owner_of(principal.username)}
    job = enqueue(session, principal, kind, common | arguments, fabric=name)
    record_audit(session, principal, f"fabric.{kind}", what, fabric=name, detail=detail | {"job": job.id})
    return job
