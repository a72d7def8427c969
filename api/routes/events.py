# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Server-sent events."""

import asyncio
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import APIRouter, Header, Query, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.access.dependencies import CurrentSettings, Viewer, identify, no_activity
from api.access.principal import Principal
from api.access.roles import Role
from api.base.problems import Forbidden, InvalidInput, Problem, TooManyRequests
from api.events.hub import Hub, Message
from api.events.wire import KEEP_ALIVE, keep_alive_s, wire_event
from api.http.openapi import also

router = APIRouter(tags=["events"])

_MAX_TOPICS = 50
_RETRY_S = 30

CHECKED_S = 30.0
"""Longest time for which a stream may outlive the session or token that opened it, or its rights."""


@router.get(
    "/events",
    response_class=StreamingResponse,
    responses={
        200: {"content": {"text/event-stream": {"schema": {"type": "string"}}}, "description": "A stream of events."},
        **also(Forbidden, TooManyRequests),
    },
)
@no_activity
async def stream_events(
    request: Request,
    principal: Viewer,
    settings: CurrentSettings,
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
    most = settings.streams_of_person
    if hub.count_of(principal.user_id) >= most:
        raise TooManyRequests(
            f"{principal.username} has {most} open streams of events, the most of one person; close one first.",
            headers={"Retry-After": str(_RETRY_S)},
        )
    last = _number(last_event_id)
    stream = _stream(hub, chosen, principal, last, request, most)
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
    hub: Hub, topics: frozenset[str], principal: Principal, last: int | None, request: Request, most: int
) -> AsyncIterator[bytes]:
    if hub.count_of(principal.user_id) >= most:
        return  # others began since the request was let in
    listener = hub.listen(topics, principal.user_id)  # before the table is read: nothing falls between
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
            left_s = checked_s + CHECKED_S - time.monotonic()
            if left_s <= 0:
                if not await run_in_threadpool(_is_still, principal, request):
                    return
                checked_s, left_s = time.monotonic(), CHECKED_S
            try:
                message_or_end = await asyncio.wait_for(listener.queue.get(), min(keep_alive_s(), left_s))
            except TimeoutError:
                yield KEEP_ALIVE
                continue
            if message_or_end is None:
                return
            if message_or_end.id > seen and _may_hear(principal, message_or_end):
                yield wire_event(message_or_end.id, message_or_end.kind, message_or_end.data)
    finally:
        hub.forget(listener)


def _is_still(principal: Principal, request: Request) -> bool:
    """Whether the session or token that opened the stream is good, and may do what it might then. Asking is no activity: a page
    that is left open keeps no session."""
    try:
        now = identify(request, is_activity=False)
    except Problem:
        return False
    return (now.role, now.fabrics) == (principal.role, principal.fabrics)


def _may_hear(principal: Principal, message: Message) -> bool:
    return principal.fabrics is None or (message.fabric is not None and principal.may_use(message.fabric))
