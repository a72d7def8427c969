# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events that are kept and have a severity: queries."""

from datetime import datetime

from sqlalchemy import or_, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.event import Event
from api.documents.watches import KeptEvent
from api.events.items import text_of
from api.events.severities import SEVERITIES, Severity
from api.http.pages import Key, PageQuery, paginate


def list_events(
    session: Session,
    principal: Principal,
    page: PageQuery,
    *,
    severity: Severity,
    fabric: str | None,
    kind: str | None,
    since: datetime | None,
) -> tuple[list[Event], str | None]:
    """Newest first, of that severity or a graver one; a token for some fabrics reads theirs only. `kind`: whole, or the part
    before a dot, such as `device`."""
    query = select(Event).where(Event.severity.in_(SEVERITIES[SEVERITIES.index(severity) :]))
    if fabric is not None:
        query = query.where(Event.fabric == fabric)
    if kind is not None:
        part = kind.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        query = query.where(or_(Event.kind == kind, Event.kind.like(f"{part}.%", escape="\\")))
    if since is not None:
        query = query.where(Event.at >= since)
    if principal.fabrics is not None:
        query = query.where(Event.fabric.in_(sorted(principal.fabrics)))
    return paginate(session, query, [Key(Event.id, descending=True)], page)


def kept_event(event: Event) -> KeptEvent:
    """The event as JSON."""
    same = {name: getattr(event, name) for name in KeptEvent.model_fields if name != "text"}
    return KeptEvent.model_validate(same | {"text": text_of(event.topic, event.kind, event.data)})
