# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents that say what the service knows of a fabric that it watches."""

from collections.abc import Iterator, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import select
from sqlalchemy.orm import Session

from api.access.redaction import redacted
from api.access.roles import Role
from api.base.times import now
from api.database.models.event import Event
from api.database.models.fabric_watch import FabricWatch
from api.documents.watches import LastChange, MarkedDevice, MarkedLink, WatchCounts, WatchedEnd, WatchOut, WatchSummary
from api.events.severities import Severity
from api.services.fabric_watches import is_current, known_of, watch_of
from api.watch.changes import KINDS
from api.watch.known import Known
from api.watch.marks import device_marks, is_down
from api.watch.states import MARKS

_MOST = 1000
_CHANGES = (*KINDS, "sm.changed", "sm.others")
_SICK = ("missing", "timing_out", "drifted", "not_ready", "flapping", "not_cabled_as_imported", "links_down")
"""Counts that call for somebody."""


def summary_of(session: Session, fabric: str, role: Role) -> WatchSummary | None:
    """Returns what is known of a fabric, without its devices; None: it is not watched."""
    row = session.get(FabricWatch, fabric)
    return None if row is None else WatchSummary(**_summary(session, row, role))


def watch_document(session: Session, fabric: str, role: Role) -> WatchOut | None:
    """None: the fabric is not watched."""
    row = watch_of(session, fabric)
    if row is None:
        return None
    known = known_of(row) or Known()
    devices, links = _marked_devices(known), list(_marked_links(known))
    return WatchOut(
        **_summary(session, row, role),
        fabric=fabric,
        marked_devices=len(devices),
        marked_links=len(links),
        devices=devices[:_MOST],
        links=links[:_MOST],
    )


def _summary(session: Session, row: FabricWatch, role: Role) -> dict[str, Any]:
    return {
        "reach": row.reach,
        "reach_since": row.reach_since,
        "reason": None if row.reason is None else redacted(row.reason, role),
        "sm_state": row.role,
        "current": is_current(row, now()),
        "as_of": row.as_of,
        "audited_at": row.audited_at,
        "severity": _severity(row),
        "counts": WatchCounts(**row.counts) if row.counts else None,
        "last": _last(session, row.fabric),
    }


def _last(session: Session, fabric: str) -> LastChange | None:
    query = select(Event).where(Event.topic == f"fabric:{fabric}", Event.kind.in_(_CHANGES), Event.severity.is_not(None))
    event = session.scalars(query.order_by(Event.id.desc()).limit(1)).first()
    if event is None:
        return None
    return LastChange(at=event.at, kind=event.kind, severity=event.severity, headline=event.data["headline"])


def _severity(row: FabricWatch) -> Severity | None:
    counts: Mapping[str, int] = row.counts
    if row.reach == "unreachable" or row.role in ("halted", "conflict") or counts.get("missing_switches"):
        return "error"
    if row.role == "standby" or any(counts.get(name) for name in _SICK):
        return "warning"
    return "info" if counts.get("new") else None


def _marked_devices(known: Known) -> list[MarkedDevice]:
    marks = device_marks(known)
    found = [
        MarkedDevice(
            guid=guid,
            port=port,
            name=known.devices[guid, port].name,
            kind=known.devices[guid, port].kind,
            marks=of,
            since=_time(known.devices[guid, port].since_s),
        )
        for (guid, port), of in marks.items()
    ]
    return sorted(found, key=lambda one: (MARKS.index(one.marks[0]), one.kind != "switch", one.name, one.guid, one.port))


def _marked_links(known: Known) -> Iterator[MarkedLink]:
    for (a, b), link in sorted(known.links.items(), key=lambda one: (one[1].up, one[1].names, one[0])):
        if link.as_imported is not False and not link.unrest.flaps and not is_down((a, b), link, known):
            continue
        ends = [WatchedEnd(guid=guid, port=port, name=name) for (guid, port), name in zip((a, b), link.names, strict=True)]
        yield MarkedLink(
            a=ends[0],
            b=ends[1],
            up=link.up,
            as_imported=link.as_imported,
            flapping=link.unrest.flaps,
            rate=link.rate,
            since=_time(link.since_s),
        )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
