# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Documents that say what the service knows of a fabric that it watches."""

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

from sqlalchemy.orm import Session

from api.access.redaction import redacted
from api.access.roles import Role
from api.database.models.fabric_watch import FabricWatch
from api.documents.fabrics import DeviceOut
from api.documents.watches import MarkedDevice, MarkedLink, WatchCounts, WatchedEnd, WatchOut, WatchSummary
from api.events.severities import Severity
from api.fabric_drivers.sight import Key
from api.services.fabric_watches import is_current, known_of, watch_of
from api.times import now
from api.watch.known import Known, KnownDevice
from api.watch.marks import device_marks
from api.watch.states import MARKS, Mark

_MOST = 1000
_SICK = ("missing", "timing_out", "drifted", "not_ready", "not_cabled_as_imported", "links_down")
"""Counts that call for somebody."""


def summary_of(session: Session, fabric: str, role: Role) -> WatchSummary | None:
    """Returns what is known of a fabric, without its devices; None: it is not watched."""
    row = session.get(FabricWatch, fabric)
    return None if row is None else WatchSummary(**_summary(row, role))


def watch_document(session: Session, fabric: str, role: Role) -> WatchOut | None:
    """None: the fabric is not watched."""
    row = watch_of(session, fabric)
    if row is None:
        return None
    known = known_of(row) or Known()
    devices, links = _marked_devices(known), list(_marked_links(known))
    return WatchOut(
        **_summary(row, role),
        fabric=fabric,
        marked_devices=len(devices),
        marked_links=len(links),
        devices=devices[:_MOST],
        links=links[:_MOST],
    )


def with_marks(session: Session, fabric: str, devices: Sequence[DeviceOut]) -> list[DeviceOut]:
    """Returns the devices that a fabric has now with the marks that its watcher gives them, and those that should be there."""
    row = watch_of(session, fabric)
    known = None if row is None or not is_current(row, now()) else known_of(row)
    if known is None:
        return list(devices)
    marks, there = device_marks(known), {(one.guid, one.port) for one in devices}
    found = [one.model_copy(update={"marks": marks.get((one.guid, one.port), [])}) for one in devices]
    away = [_away(key, one, marks[key]) for key, one in known.devices.items() if key not in there and one.state == "missing"]
    return found + away


def devices_as_of(session: Session, fabric: str) -> list[DeviceOut] | None:
    """Returns the devices of a fabric that cannot be reached: what they are now is unknown. None: they were never seen."""
    row = watch_of(session, fabric)
    known = None if row is None else known_of(row)
    if row is None or known is None:
        return None
    when = "never seen" if row.as_of is None else f"{row.as_of:%Y-%m-%d %H:%M:%S} UTC"
    return [
        _device(key, one, present=one.state != "missing", state="unknown", marks=[], detail=f"as of {when}: {one.state}")
        for key, one in known.devices.items()
    ]


def _summary(row: FabricWatch, role: Role) -> dict[str, Any]:
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
    }


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
        if link.up and link.as_imported is not False:
            continue
        ends = [WatchedEnd(guid=guid, port=port, name=name) for (guid, port), name in zip((a, b), link.names, strict=True)]
        yield MarkedLink(
            a=ends[0], b=ends[1], up=link.up, as_imported=link.as_imported, rate=link.rate, since=_time(link.since_s)
        )


def _away(key: Key, one: KnownDevice, marks: list[Mark]) -> DeviceOut:
    since = _time(one.since_s)
    detail = "OpenSM does not find it" if since is None else f"OpenSM does not find it since {since:%Y-%m-%d %H:%M:%S} UTC"
    return _device(key, one, present=False, state="unknown", marks=marks, detail=detail)


def _device(key: Key, one: KnownDevice, *, present: bool, state: str, marks: list[Mark], detail: str) -> DeviceOut:
    return DeviceOut(
        guid=key[0],
        port=key[1],
        name=one.name,
        kind=one.kind,
        lid=None,
        present=present,
        state=state,
        throttles=None,
        drifts=one.drifts,
        timeouts=0,
        applied_at=None,
        detail=detail,
        marks=marks,
    )


def _time(seconds: float | None) -> datetime | None:
    return None if seconds is None else datetime.fromtimestamp(seconds, UTC)
