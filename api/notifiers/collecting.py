# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""From events to deliveries. One of the servers of a database takes each event, once: in one transaction it raises the number of
the last event that was taken and adds the event to deliveries."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, cast

import structlog
from sqlalchemy import func, select
from sqlalchemy.exc import SQLAlchemyError
from sqlalchemy.orm import Session

from api.configuration.notification_addresses import AddressOptions
from api.database.engine import Database
from api.database.models.delivery import Delivery
from api.database.models.event import Event
from api.database.models.note import Note
from api.events.items import item_of
from api.events.severities import Severity, is_at_least, severity_of
from api.notifiers.message import MOST_ITEMS

_log = structlog.get_logger()

_TOLD = "notify.told"
"""Name of the note that has the number of the last event that was taken."""
_MOST = 200
"""Events that one transaction takes."""


def collect(database: Database, addresses: Mapping[str, AddressOptions], moment: datetime) -> int:
    """Adds new events to the deliveries of the addresses that want them; returns the number of events that it took."""
    with database.reading() as session:
        note = session.get(Note, _TOLD)
        if note is not None and session.scalar(select(Event.id).where(Event.id > int(note.value)).limit(1)) is None:
            return 0
    with database.writing() as session:
        events = _taken(session)
        batch = _Batch(session, addresses, moment)
        for event in events:
            try:
                severity = severity_of(event.topic, event.kind, event.data)
                if severity is not None:
                    batch.add(event, severity)
            except SQLAlchemyError:
                raise
            except Exception as error:  # nobody can be told of this one; the others are
                _log.error("notify.event.unreadable", number=event.id, topic=event.topic, error=type(error).__name__)
        batch.store()
    return len(events)


def _taken(session: Session) -> Sequence[Event]:
    note = session.get(Note, _TOLD, with_for_update=True)
    if note is None:  # what was before the first start is no news
        session.add(Note(name=_TOLD, value=str(session.scalar(select(func.max(Event.id))) or 0)))
        return []
    events = session.scalars(select(Event).where(Event.id > int(note.value)).order_by(Event.id).limit(_MOST)).all()
    if events:
        note.value = str(events[-1].id)
    return events


@dataclass
class _Growing:
    """A delivery that events of a batch join."""

    row: Delivery
    items: list[Any]
    counts: Counter[str]


class _Batch:
    """Deliveries that one transaction adds to: their rows are read and written once, however many events there are."""

    def __init__(self, session: Session, addresses: Mapping[str, AddressOptions], moment: datetime) -> None:
        self._session, self._addresses, self._moment = session, addresses, moment
        self._growing: dict[str, _Growing] = {}

    def add(self, event: Event, severity: Severity) -> None:
        item: dict[str, Any] | None = None
        for name, options in self._addresses.items():
            if _wants(options, severity, event.fabric):
                item = item or item_of(event.id, event.at, event.topic, event.kind, event.fabric, severity, event.data)
                one = self._growing.get(name) or self._begun(name, options, severity)
                one.items = _with(one.items, item)
                one.counts[severity] += 1
                if is_at_least(severity, cast(Severity, one.row.severity)):
                    one.row.severity = severity

    def _begun(self, address: str, options: AddressOptions, severity: Severity) -> _Growing:
        row = _fresh(self._session, address) or Delivery(
            address=address,
            severity=severity,
            items=[],
            counts={},
            created_at=self._moment,
            due_at=self._moment + timedelta(seconds=options.group_s),
        )
        self._growing[address] = _Growing(row, list(row.items), Counter(row.counts))
        return self._growing[address]

    def store(self) -> None:
        for message in self._growing.values():
            message.row.items, message.row.counts = message.items, dict(message.counts)
            self._session.add(message.row)


def _with(items: list[Any], item: dict[str, Any]) -> list[Any]:
    """Returns at most MOST_ITEMS items. A graver one takes the place of the last that is not."""
    if len(items) < MOST_ITEMS:
        return [*items, item]
    lesser = [place for place, one in enumerate(items) if not is_at_least(one["severity"], item["severity"])]
    return items if not lesser else [*items[: lesser[-1]], *items[lesser[-1] + 1 :], item]


def _wants(options: AddressOptions, severity: Severity, fabric: str | None) -> bool:
    return is_at_least(severity, options.minimum) and (options.fabrics is None or fabric in options.fabrics)


def _fresh(session: Session, address: str) -> Delivery | None:
    """Returns the delivery that still takes events: one that nobody has tried to send."""
    fresh = (Delivery.address == address, Delivery.state == "pending", Delivery.attempts == 0, Delivery.test.is_(False))
    return session.scalars(select(Delivery).where(*fresh).order_by(Delivery.id).limit(1).with_for_update()).first()
