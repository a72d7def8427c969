# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.access.dependencies import Viewer, authenticate
from api.access.principal import Principal
from api.access.roles import Role
from api.events.hub import Hub, Message
from api.events.wire import KEEP_ALIVE, keep_alive_s, wire_event
from api.openapi import also
from api.problems import Forbidden, InvalidInput, Problem

router = APIRouter(tags=["events"])

_MAX_TOPICS = 50

CHECKED_S = 30.0
"""Longest time for which a stream may outlive the session or token that opened it."""


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "A stream of events."},
        **also(Forbidden),
    },
)
async def stream_events(
    request: Request,
    principal: Viewer,
    topics: Annotated[
        str,
        Query(
            min_length=1,
            max_length=4000,
            description="Comma-separated: `jobs`, `checks`, `audit` (operators), `fabric:NAME`, `campaign:ID`.",
            examples=["jobs,fabric:two-switch"],
        ),
    ],
    last_event_id: Annotated[
        str | None,
        Header(
            description="Identifier of the last event received: the stream continues after it. Browsers send it automatically."
        ),
    ] = None,
) -> StreamingResponse:
    """Stream events as they happen. `event: reset` says that events after Last-Event-ID are no longer available: read
    everything again."""
    hub: Hub = request.app.state.hub
    chosen = _allowed(topics, principal)
    last = _number(last_event_id)
    stream = _stream(hub, chosen, principal, last, request)
    return StreamingResponse(
        stream, media_type="text/event-stream", headers={"Cache-Control": "no-store", "X-Accel-Buffering": "no"}
    )


def _allowed(topics: str, principal: Principal) -> frozenset[str]:
    chosen = frozenset(topic.strip() for topic in topics.split(",") if topic.strip())
    if len(chosen) > _MAX_TOPICS:
        raise InvalidInput.of_field("topics", f"{len(chosen)} are too many topics; at most {_MAX_TOPICS} in one stream")
    for topic in sorted(chosen):
        kind, colon, name = topic.partition(":")
        if topic not in ("jobs", "checks", "audit") and not (kind in ("fabric", "campaign") and colon and name):
            raise InvalidInput.of_field(
                "topics", f"{topic!r:.80} is not a topic; the topics are jobs, checks, audit, fabric:NAME and campaign:ID"
            )
        if topic == "audit":
            principal.require_role(Role.OPERATOR)
        if kind == "fabric":
            principal.require_fabric(name)
    return chosen


def _number(last_event_id: str | None) -> int | None:
    if last_event_id is None or last_event_id == "":
        return None
    if not last_event_id.isascii() or not last_event_id.isdigit() or len(last_event_id) > 18:
        raise InvalidInput.of_field(
            "Last-Event-ID", f"{last_event_id!r:.80} is not the identifier of an event, which is an integer"
        )
    return int(last_event_id)


async def _stream(
    hub: Hub, topics: frozenset[str], principal: Principal, last: int | None, request: Request
) -> AsyncIterator[bytes]:
    listener = hub.listen(topics)  # before the table is read: nothing falls between
    checked_s = time.monotonic()
    try:
        yield KEEP_ALIVE  # headers reach the client at once
        seen = 0
        if last is not None:
            oldest = await run_in_threadpool(hub.oldest)
            newest = await run_in_threadpool(hub.newest)
            if last > newest or (oldest is not None and last < oldest - 1):
                yield wire_event(newest, "reset", {"topic": "reset", "newest": newest})
                seen = newest
            else:
                seen = last
                while messages := await run_in_threadpool(hub.since, seen, sorted(topics)):
                    seen = messages[-1].id
                    for message in messages:
                        if _may_hear(principal, message):
                            yield wire_event(message.id, message.kind, message.data)
        while not hub.is_ending and not listener.overrun:
            if time.monotonic() - checked_s >= CHECKED_S:
                checked_s = time.monotonic()
                try:
                    await run_in_threadpool(authenticate, request)
                except Problem:
                    return  # the session has ended or the token was revoked meanwhile
            try:
                message_or_end = await asyncio.wait_for(listener.queue.get(), keep_alive_s())
            except TimeoutError:
                yield KEEP_ALIVE
                continue
            if message_or_end is None:
                return
            if message_or_end.id > seen and _may_hear(principal, message_or_end):
                yield wire_event(message_or_end.id, message_or_end.kind, message_or_end.data)
    finally:
        hub.forget(listener)


def _may_hear(principal: Principal, message: Message) -> bool:
    return principal.fabrics is None or (message.fabric is not None and principal.may_use(message.fabric))
