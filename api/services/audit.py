# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The audit log: queries."""

from collections.abc import Iterator
from datetime import datetime

from sqlalchemy import Select, select
from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.database.models.audit_entry import AuditEntry
from api.http.pages import Key, PageQuery, paginate


def audit_query(
    principal: Principal,
    *,
    fabric: str | None = None,
    actor: str | None = None,
    action: str | None = None,
    since: datetime | None = None,
    until: datetime | None = None,
) -> Select[AuditEntry]:
    """Entries that fit; a token for some fabrics reads theirs only. `action`: whole, or a part before a dot, as `fabric`."""
    query = select(AuditEntry)
    if fabric is not None:
        query = query.where(AuditEntry.fabric == fabric)
    if actor is not None:
        query = query.where(AuditEntry.actor == actor.lower())
    if action is not None:
        part = action.replace("\\", "\\\\").replace("%", "\\%").replace("_", "\\_")
        query = query.where((AuditEntry.action == action) | AuditEntry.action.like(f"{part}.%", escape="\\"))
    if since is not None:
        query = query.where(AuditEntry.at >= since)
    if until is not None:
        query = query.where(AuditEntry.at < until)
    if principal.fabrics is not None:
        query = query.where(AuditEntry.fabric.in_(sorted(principal.fabrics)))
    return query


def page_of(session: Session, query: Select[AuditEntry], page: PageQuery) -> tuple[list[AuditEntry], str | None]:
    """Newest first."""
    return paginate(session, query, [Key(AuditEntry.id, descending=True)], page)


def all_of(session: Session, query: Select[AuditEntry]) -> Iterator[AuditEntry]:
    """Newest first, a thousand in memory at a time."""
    yield from session.scalars(query.order_by(AuditEntry.id.desc()).execution_options(yield_per=1000))
