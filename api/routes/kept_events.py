# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Events that are kept: what has happened before a stream was opened."""

from typing import Annotated

from fastapi import APIRouter, Query

from api.access.dependencies import Reading, Viewer
from api.base.times import Time
from api.documents.watches import KeptEvent
from api.events.severities import Severity
from api.http.pages import Page, Paging
from api.routes.fields import Text
from api.services import kept_events

router = APIRouter(tags=["events"])


@router.get("/events/kept", response_model=Page[KeptEvent])
def list_kept_events(
    principal: Viewer,
    session: Reading,
    page: Paging,
    severity: Annotated[Severity, Query(description="Least severity.")] = "info",
    fabric: Annotated[Text | None, Query(max_length=64)] = None,
    kind: Annotated[
        Text | None, Query(max_length=64, description="Kind, such as `device.lost`, or the part before a dot, such as `device`.")
    ] = None,
    since: Annotated[Time | None, Query(description="Earliest time.")] = None,
) -> object:
    """List the events that have a severity, newest first. The setting events_kept_s says how long they are kept. To miss nothing,
    call `stream_events` with the first one's `id` as Last-Event-ID."""
    items, cursor = kept_events.list_events(session, principal, page, severity=severity, fabric=fabric, kind=kind, since=since)
    return {"items": [kept_events.kept_event(one) for one in items], "next_cursor": cursor}
