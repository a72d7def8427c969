# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Queries and rules of watched fabrics: the server that watches, and the state that it has stored.

One of the servers of a database watches a fabric, under a lease. It stores what a look has found, and the events that follow, in
one transaction, in which the lease must still be its own: a server that dies leaves nothing half done, and the next one compares
with what was stored.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session, undefer

from api.base.process_identity import is_gone
from api.database.models.fabric import Fabric, FabricRecord
from api.database.models.fabric_watch import FabricWatch
from api.fabric_drivers.registry import FABRIC_KINDS, FabricSpec
from api.watch.known import Known

LEASE_S = 20.0
"""Seconds after which another server watches a fabric whose watcher does not respond."""
RENEW_S = 5.0
"""Seconds after which a watcher writes down that it still knows what it knew."""
ELSEWHERE_S = 30.0
"""Seconds for which a server that does not reach a fabric from its machine leaves it to others."""
STALE_S = 30.0
"""Seconds after which nobody may believe what was last seen."""


@dataclass(frozen=True)
class Watched:
    """A fabric that is to be watched. `spec` has no options, which may be large."""

    spec: FabricSpec
    revision: int
    """Revision of the fabric. The options need to be read again only if it has changed."""


def watched_fabrics(session: Session) -> Iterator[Watched]:
    kinds = [kind.name for kind in FABRIC_KINDS if kind.has_opensm]
    query = select(Fabric.name, Fabric.kind, Fabric.revision, FabricRecord.runtime).join(FabricRecord)
    for name, kind, revision, runtime in session.execute(query.where(Fabric.kind.in_(kinds)).order_by(Fabric.name)):
        yield Watched(FabricSpec(name=name, kind=kind, runtime=runtime), revision)


def options_of(session: Session, name: str) -> dict[str, Any] | None:
    """None: the fabric was deleted."""
    return session.scalar(select(Fabric.options).where(Fabric.name == name))


def may_take(row: FabricWatch, watcher: str, moment: datetime, *, is_here: bool) -> bool:
    """Says whether that server may watch the fabric from now on. `is_here`: it reaches the fabric from its machine."""
    if row.watcher == watcher:
        return True
    is_free = row.watcher is None or row.lease_until is None or row.lease_until <= moment or is_gone(row.watcher)
    if is_here:
        return is_free or row.reach == "unreachable"  # for somebody who watches from elsewhere
    since = row.lease_until or moment
    return is_free and moment - since >= timedelta(seconds=ELSEWHERE_S)


def lease(session: Session, name: str, watcher: str, moment: datetime, *, is_here: bool) -> FabricWatch | None:
    """Takes or keeps the lease. Returns the row, locked; None: another server watches the fabric, or it was deleted."""
    if session.scalar(select(Fabric.name).where(Fabric.name == name)) is None:
        return None
    row = session.get(FabricWatch, name, with_for_update={"of": FabricWatch})
    if row is None:
        row = FabricWatch(fabric=name, lease_until=moment, reach="unseen", counts={}, revision=0)
        session.add(row)
        session.flush()
    if not may_take(row, watcher, moment, is_here=is_here):
        return None
    row.watcher, row.lease_until = watcher, moment + timedelta(seconds=LEASE_S)
    return row


def own(session: Session, name: str, watcher: str) -> FabricWatch | None:
    """Returns the row, locked, if that server still watches the fabric."""
    query = select(FabricWatch).where(FabricWatch.fabric == name, FabricWatch.watcher == watcher)
    return session.scalars(query.with_for_update(of=FabricWatch)).one_or_none()


def release(session: Session, watcher: str, moment: datetime) -> None:
    """Gives up all leases of a server that ends."""
    for row in session.scalars(select(FabricWatch).where(FabricWatch.watcher == watcher).with_for_update()):
        row.watcher, row.lease_until = None, moment


def watch_of(session: Session, name: str) -> FabricWatch | None:
    """Returns the row with devices and links; None: nobody has watched the fabric yet."""
    return session.get(FabricWatch, name, options=[undefer(FabricWatch.devices), undefer(FabricWatch.links)])


def known_of(row: FabricWatch) -> Known | None:
    """None: devices were never seen."""
    return None if row.devices is None else Known.from_json(row.devices, row.links or {})


def is_current(row: FabricWatch, moment: datetime) -> bool:
    """Says whether what was last seen may be believed at that moment: the fabric is reachable, the subnet manager that is asked
    is MASTER, and a watcher has looked a short time ago."""
    return row.reach == "reachable" and row.as_of is not None and moment - row.as_of < timedelta(seconds=STALE_S) and knows(row)


def knows(row: FabricWatch) -> bool:
    """Says whether the subnet manager that is asked knew the fabric at the last look."""
    return row.role in ("master", "halted", "conflict")
