# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Interface of a notifier, such as one for mail or a webhook, and the thread that calls them all.

One of the servers of a database tells of an event, once: it raises the number of the last event that was told of, in a
transaction, before it calls the notifiers. If it dies in between, nobody tells of that event.
"""

from typing import Any, Protocol

import structlog
from sqlalchemy import func, select

from api.database.engine import Database
from api.database.models.event import Event
from api.database.models.note import Note
from api.periodic import Periodic
from api.services.checks.events import TOPIC
from tuner.registry import Registry

_log = structlog.get_logger()

INTERVAL_S = 5.0
_TOLD = "checks.told"
"""Name of the note that has the number of the last event that was told of."""
_MOST = 200
"""Events that are told of at a time."""


class Notifier(Protocol):
    def notify(self, kind: str, data: dict[str, Any]) -> None:
        """Tells of an event of the topic `checks`: `check.night`, `check.missed`, `check.changed` or `check.answer`, with its
        data, which has no names of jobs and users. What it raises is logged, and the event is not repeated. It may take
        seconds."""


NOTIFIERS: Registry[Notifier] = Registry("notifier", "api.notifiers")


class Notifying(Periodic):
    def __init__(self, database: Database, interval_s: float = INTERVAL_S) -> None:
        super().__init__("notifying", self.tick, interval_s)
        self._database = database

    def tick(self) -> int:
        """Tells of what has happened since the last time; returns the number of events."""
        events = self._taken()
        for event in events:
            for name in NOTIFIERS.names():
                try:
                    NOTIFIERS.get(name).notify(event.kind, dict(event.data))
                except Exception:  # another notifier may still reach somebody
                    _log.exception("notifier.failed", notifier=name, event_id=event.id)
        return len(events)

    def _taken(self) -> list[Event]:
        newer = select(Event).where(Event.topic == TOPIC).order_by(Event.id).limit(_MOST)
        with self._database.reading() as session:
            note = session.get(Note, _TOLD)
            if note is not None and session.scalars(newer.where(Event.id > int(note.value)).limit(1)).first() is None:
                return []
        with self._database.writing() as session:
            note = session.get(Note, _TOLD, with_for_update=True)
            if note is None:  # what was before the first start is no news
                session.add(Note(name=_TOLD, value=str(session.scalar(select(func.max(Event.id))) or 0)))
                return []
            events = list(session.scalars(newer.where(Event.id > int(note.value))))
            if events:
                note.value = str(events[-1].id)
            return events
