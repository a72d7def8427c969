# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The second person: who counts as one, and what would go around them.

- A fabric's second person is switched off by two admins, or on the machine, of which everybody is told for a week.
- It is the devices' and not the name's: two fabrics with one plugin's socket have it together, and a fabric that has it is
  neither deleted nor pointed at another socket.
- Experiments need no approval, so that with a second person they have a greatest length in all. Campaigns need none either: with
  a second person they measure on real devices in the maintenance windows that an admin has given, and at no other time.
"""

import os
from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.audit import record_audit
from api.access.principal import Principal
from api.base.problems import Conflict, InvalidInput
from api.base.times import now
from api.configuration.settings import Settings
from api.database.models.fabric import Fabric
from api.database.models.job import MAX_ATTEMPTS, Job
from api.fabric_drivers.base import MAX_TTL_S, BusyError
from api.fabric_drivers.plugin import PluginKind
from api.fabric_drivers.plugin_sockets import sockets
from api.services.ownership import Behind, behind, require_two_people
from api.states.jobs import GIVEN_UP
from tuner.documents.inventory import Inventory
from tuner.errors import ApplyFailedError, BadInputError

REQUEST_LASTS = timedelta(days=7)
"""Time for which one admin's request waits for another admin."""
NOTICE_LASTS = timedelta(days=7)
"""Time for which all users see a notice that the second person was switched off on the machine."""
WINDOW = timedelta(hours=24)
"""In any such time, experiments last as long as the setting experiment_limit_s says, all together."""

_CLEAR = "clear_foreign"
"""Key of a request that waits for another admin, in what the service records of a fabric."""

_ENDS = ("apply", "restore", "promote", "rollback")
"""Jobs with which an experiment is over."""


def is_needed(session: Session, settings: Settings, fabric: Fabric) -> bool:
    """For a promotion: by the settings, or by this fabric or another one that is the same devices."""
    if settings.second_person or fabric.second_person:
        return True
    own = _devices(fabric)
    others = session.scalars(select(Fabric).where(Fabric.second_person, Fabric.name != fabric.name)).unique()
    return any(own & _devices(other) for other in others)


def change(session: Session, principal: Principal, fabric: Fabric, wanted: bool) -> None:
    """Switches it on at once, which withdraws a request to switch it off. To switch it off, one admin requests it and another one
    agrees."""
    what = f"fabric {fabric.name}"
    asked = fabric.off_asked_at is not None and fabric.off_asked_at + REQUEST_LASTS > now()
    if wanted:
        if asked:
            record_audit(
                session, principal, "fabric.second_person.keep", what, fabric=fabric.name, detail={"asked": fabric.off_asked_by}
            )
        elif not fabric.second_person:
            record_audit(session, principal, "fabric.second_person.on", what, fabric=fabric.name)
        fabric.second_person = True
        _forget(fabric)
    elif fabric.second_person and not asked:
        fabric.off_asked_by, fabric.off_asked_by_id, fabric.off_asked_at = principal.username, principal.user_id, now()
        asking = behind(session, principal)
        fabric.off_asked_behind, fabric.off_asked_givers = dict(asking.hands), dict(asking.givers)
        record_audit(session, principal, "fabric.second_person.ask_off", what, fabric=fabric.name)
    elif fabric.second_person and fabric.off_asked_by_id != principal.user_id:
        asker = fabric.off_asked_by or ""
        agreed = f"an end of the second person on '{fabric.name}'"
        asked_by = Behind(hands=fabric.off_asked_behind or {}, givers=fabric.off_asked_givers or {})
        require_two_people(session, principal, fabric.off_asked_by_id or "", asked_by, agreed)
        record_audit(session, principal, "fabric.second_person.off", what, fabric=fabric.name, detail={"asked": asker})
        fabric.second_person = False
        _forget(fabric)


def may_clear_foreign(session: Session, principal: Principal, settings: Settings, fabric: Fabric) -> bool:
    """False: two admins must want foreign devices cleared, and this one is the first of them. The request lasts as long as one to
    switch the second person off."""
    if not is_needed(session, settings, fabric):
        return True
    what, asked = f"fabric {fabric.name}", fabric.record.runtime.get(_CLEAR)
    if asked is None or datetime.fromisoformat(asked["at"]) + REQUEST_LASTS <= now():
        asking = behind(session, principal)
        request = {"by": principal.username, "by_id": principal.user_id, "at": now().isoformat()}
        people = {"hands": dict(asking.hands), "givers": dict(asking.givers)}
        fabric.record.runtime = {**fabric.record.runtime, _CLEAR: request | people}
        record_audit(session, principal, "fabric.clear_foreign.ask", what, fabric=fabric.name)
        return False
    if asked["by_id"] == principal.user_id:
        return False
    asked_by = Behind(hands=asked["hands"], givers=asked["givers"])
    require_two_people(session, principal, asked["by_id"], asked_by, f"a clearing of foreign devices on '{fabric.name}'")
    fabric.record.runtime = {key: value for key, value in fabric.record.runtime.items() if key != _CLEAR}
    record_audit(session, principal, "fabric.clear_foreign.agree", what, fabric=fabric.name, detail={"asked": asked["by"]})
    return True


def reset(session: Session, principal: Principal, fabric: Fabric) -> None:
    """On the machine, for a site whose second person is gone."""
    fabric.second_person = False
    fabric.reset_by, fabric.reset_at = principal.username, now()
    fabric.revision += 1
    _forget(fabric)
    record_audit(session, principal, "fabric.second_person.reset", f"fabric {fabric.name}", fabric=fabric.name)


def reset_notice(fabric: Fabric) -> tuple[str, datetime] | None:
    """Returns the name of whoever switched it off on the machine, and the time; None once the notice is over."""
    if fabric.reset_at is None or fabric.reset_at + NOTICE_LASTS <= now():
        return None
    return fabric.reset_by or "somebody", fabric.reset_at


def off_request(fabric: Fabric) -> tuple[str, datetime] | None:
    """Returns the admin who asked to switch it off, and the time; None once no other admin may agree any more."""
    if fabric.off_asked_at is None or fabric.off_asked_at + REQUEST_LASTS <= now():
        return None
    return fabric.off_asked_by or "somebody", fabric.off_asked_at


def require_no_way_around(session: Session, settings: Settings, fabric: Fabric, options: dict[str, Any] | None) -> None:
    """Before a fabric is deleted, with None, or gets other options. Raises Conflict."""
    if options is not None and sockets(options) == sockets(fabric.options):
        return
    does = "cannot be deleted" if options is None else "must keep its socket"
    if fabric.second_person:
        raise Conflict(
            f"Fabric '{fabric.name}' requires a second person, so it {does}; set second_person to false first, "
            "which another admin must do as well."
        )
    if options is None and reset_notice(fabric) is not None:
        raise Conflict(
            f"Fabric '{fabric.name}' {does} for {NOTICE_LASTS.days} days after its second person was switched off on the "
            "machine, as all users see a notice in that time."
        )
    # The time that trial runs have used is found by the names of fabrics, so a fabric of another name would start from 0.
    outlives = fabric.kind == PluginKind.name
    if outlives and is_needed(session, settings, fabric) and (used_s := round(experiments_s(session, fabric))):
        raise Conflict(
            f"Trial runs on '{fabric.name}' lasted {used_s} s of the last {WINDOW // timedelta(hours=1)} hours, which "
            f"count as its promotions need a second person; it {does} until they are older than that."
        )


def require_time(session: Session, settings: Settings, fabric: Fabric, ttl_s: int) -> None:
    """For an experiment of that length from now on. Raises InvalidInput."""
    if not is_needed(session, settings, fabric):
        return
    limit_s, used_s = settings.experiment_limit_s, round(experiments_s(session, fabric))
    left_s = max(0, limit_s - used_s)
    if ttl_s > left_s:
        would = f"at most {left_s} or a promotion" if left_s else "a promotion"
        raise InvalidInput.of_field(
            "ttl_s",
            f"{ttl_s} s is too long: fabric '{fabric.name}' requires a second person, so trial runs on it last at most "
            f"{limit_s} s in any {WINDOW // timedelta(hours=1)} hours (experiment_limit_s), and {used_s} s are used; "
            f"{would} would be right.",
        )


def require_windows(session: Session, settings: Settings, fabric: Fabric, inventory: Inventory) -> None:
    """For a campaign that measures on the fabric. What it tries may be a single profile, for as long as somebody likes, so that
    an admin has to have said when. Raises BadInputError."""
    if not inventory.maintenance and is_needed(session, settings, fabric):
        raise BadInputError(
            f"fabric '{fabric.name}' requires a second person, and its inventory has no maintenance windows, so a campaign "
            "could keep a profile in force that nobody approved; an administrator can add them under Hosts, or measure "
            "in the simulator (on_simulator)"
        )


def experiments_s(session: Session, fabric: Fabric) -> float:
    """For how long experiments were in force on those devices within WINDOW, whoever's they were and however they are named."""
    own = _devices(fabric)
    rows = session.scalars(select(Fabric)).unique()
    names = {fabric.name} | {row.name for row in rows if own & _devices(row)}
    return sum(_of_fabric(session, name) for name in names)


def _of_fabric(session: Session, name: str) -> float:
    moment = now()
    since = moment - WINDOW - timedelta(seconds=2 * MAX_TTL_S)
    jobs = session.scalars(
        select(Job).where(Job.fabric == name, Job.kind.in_(_ENDS), Job.started_at > since).order_by(Job.id)
    ).all()
    total = 0.0
    for i, job in enumerate(jobs):
        if job.kind != "apply" or job.started_at is None:
            continue
        begin = job.started_at
        # Its time begins when the devices have it, at the latest when the job has ended.
        end = (job.ended_at or moment) + timedelta(seconds=job.arguments.get("ttl_s", MAX_TTL_S))
        if job.state in GIVEN_UP and not _may_be_in_force(job):
            end = job.ended_at or moment
        for later in jobs[i + 1 :]:
            if later.state == "done" and later.ended_at is not None:
                end = min(end, later.ended_at)
                break
        total += max(0.0, (min(end, moment) - max(begin, moment - WINDOW)).total_seconds())
    return total


def _may_be_in_force(job: Job) -> bool:
    """True if devices may have kept an experiment that did not end well. They have not if it was refused or undone; where that is
    unknown, restoring the base profile ends it."""
    if job.state == "cancelled":
        return job.exit_code is not None
    refused_or_undone = (BadInputError.exit_code, ApplyFailedError.exit_code, BusyError.exit_code)
    return job.exit_code not in refused_or_undone or job.attempts >= MAX_ATTEMPTS


def _devices(fabric: Fabric) -> set[Any]:
    """Returns the sockets by which the fabric is reached: fabrics that share one are the same devices."""
    return set(_sockets(fabric))


def _sockets(fabric: Fabric) -> Iterator[Any]:
    own = sockets(fabric.options) if fabric.kind == PluginKind.name else ()
    for path in (*own, fabric.record.runtime.get("plugin_socket")):
        if isinstance(path, str):
            yield os.path.realpath(path)
            try:
                found = os.stat(path)
            except (OSError, ValueError):
                continue
            yield found.st_dev, found.st_ino


def _forget(fabric: Fabric) -> None:
    fabric.off_asked_by = fabric.off_asked_by_id = fabric.off_asked_at = None
    fabric.off_asked_behind = fabric.off_asked_givers = None
