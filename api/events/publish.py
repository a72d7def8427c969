# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events are rows, written in the transaction that makes them true: a listener never hears of what was rolled back."""

from typing import Any

from sqlalchemy import text
from sqlalchemy.orm import Session

from api.database.models.event import Event
from api.events.severities import severity_of

_ORDER = 0x69626365  # an advisory lock's number: "ibce"


def publish(session: Session, topic: str, kind: str, data: dict[str, Any], *, fabric: str | None = None) -> Event:
    """Tells those who listen to `topic` (`jobs`, `audit`, `fabric:NAME`, `campaign:ID`). `data` is JSON; `fabric`: whom it
    concerns, so that tokens for other fabrics do not hear of it.

    PostgreSQL numbers rows before they are committed, and a reader that has seen number 7 would never look for a 6 that is
    committed later. So transactions that publish go one after the other from here to their end; SQLite has one writer anyway.
    """
    if session.get_bind().dialect.name == "postgresql":
        session.execute(text("SELECT pg_advisory_xact_lock(:key)"), {"key": _ORDER})
    event = Event(topic=topic, kind=kind, data=data, fabric=fabric, severity=severity_of(topic, kind, data))
    session.add(event)
    session.flush()
    return event
