# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The audit log."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal

from fastapi import APIRouter, Query, Request
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, ConfigDict, Field
from sqlalchemy import Select

from api.access.dependencies import Operator, Reading
from api.base.tables import csv_response
from api.base.times import Time, rfc3339
from api.database.models.audit_entry import AuditEntry
from api.http.pages import Page, Paging
from api.routes.fields import Text
from api.services import audit

router = APIRouter(tags=["audit"])

_COLUMNS = ("at", "actor", "via", "action", "object", "fabric", "address", "detail")


class AuditEntryDocument(BaseModel):
    model_config = ConfigDict(from_attributes=True)

    id: str
    at: Time
    actor: str
    via: str = Field(description="Means of authentication: session, token NAME, setup, command, job ID.")
    action: str
    object: str
    fabric: str | None
    address: str | None
    detail: dict[str, Any] | None


@router.get(
    "/audit",
    response_model=Page[AuditEntryDocument],
    responses={
        200: {"content": {"text/csv": {"schema": {"type": "string"}}}, "description": "A page of entries, or all of them as CSV."}
    },
)
def list_audit(
    request: Request,
    principal: Operator,
    session: Reading,
    page: Paging,
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
    actor: Annotated[Text | None, Query(max_length=64)] = None,
    action: Annotated[
        Text | None,
        Query(max_length=64, description="Action, such as `fabric.apply`, or the part before a dot, such as `fabric`."),
    ] = None,
    since: Annotated[Time | None, Query(description="Earliest time.")] = None,
    until: Annotated[Time | None, Query(description="Time before which entries must be.")] = None,
    format: Literal["json", "csv"] = "json",
) -> object:
    """List the audit log, newest first. `format=csv` returns all matching entries in one file."""
    query = audit.audit_query(principal, fabric=fabric, actor=actor, action=action, since=since, until=until)
    if format == "csv":
        return _csv(request, query)
    items, cursor = audit.page_of(session, query, page)
    return {"items": items, "next_cursor": cursor}


def _csv(request: Request, query: Select[AuditEntry]) -> StreamingResponse:
    def rows() -> Iterator[list[object]]:
        # A transaction of its own: the request's has ended when the file is sent.
        with request.app.state.database.reading() as session:
            for entry in audit.all_of(session, query):
                yield [rfc3339(entry.at), *(getattr(entry, name) for name in _COLUMNS[1:-1]), _text(entry.detail)]

    return csv_response("audit", _COLUMNS, rows())


def _text(detail: dict[str, Any] | None) -> str:
    return "" if detail is None else "; ".join(f"{key}={value}" for key, value in sorted(detail.items()))
