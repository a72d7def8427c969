# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The audit log: who did what, in the transaction that did it."""

from typing import Any

from sqlalchemy.orm import Session

from api.access.principal import Principal
from api.base.times import rfc3339
from api.database.models.audit_entry import AuditEntry
from api.events.publish import publish


def record_audit(
    session: Session,
    principal: Principal,
    action: str,
    object: str,
    *,
    fabric: str | None = None,
    detail: dict[str, Any] | None = None,
) -> AuditEntry:
    """Adds an entry, and tells those who listen to `audit`.

    `action`: what was done, as `fabric.apply`. `object`: to what, as `profile gran-2010 version 2`. `detail`: never a secret.
    """
    entry = AuditEntry(
        actor=principal.username,
        via=principal.via,
        action=action,
        object=object,
        fabric=fabric,
        address=principal.address,
        detail=detail,
    )
    session.add(entry)
    session.flush()
    publish(session, "audit", "entry", audit_document(entry), fabric=fabric)
    return entry


def audit_document(entry: AuditEntry) -> dict[str, Any]:
    """An entry as JSON."""
    return {
        "id": entry.id,
        "at": rfc3339(entry.at),
        "actor": entry.actor,
        "via": entry.via,
        "action": entry.action,
        "object": entry.object,
        "fabric": entry.fabric,
        "address": entry.address,
        "detail": entry.detail,
    }
