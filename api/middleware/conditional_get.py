# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Answers to GET that a client has already are 304, without a body (RFC 9110, 13.1.2): for scripts that ask again and again.

Answers of objects that people edit bring the ETag of their revision, which is for If-Match; what else they say may change
without it. All other answers of the API that are sent in one piece get a weak ETag of what they say, here and nowhere else.
Cache-Control stays `no-store`: browsers and proxies keep no answers.
"""

import hashlib
from collections.abc import Iterable

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_KEPT = ("etag", "cache-control", "vary", "date", "expires", "content-location")
"""Headers of a 304 (RFC 9110, 15.4.5); `warning` and those of other middleware come later."""


class ConditionalGet:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith("/api/"):
            await self._app(scope, receive, send)
            return
        asked = Headers(scope=scope).getlist("if-none-match")
        held: Message | None = None

        async def conditional(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_one_piece(message):
                held = message
                return
            if held is not None:
                start, held = held, None
                if message["type"] == "http.response.body" and not message.get("more_body", False):
                    tag = etag_of(message.get("body", b""))
                    MutableHeaders(scope=start)["ETag"] = tag
                    if matches(asked, tag):
                        start = {**start, "status": 304, "headers": _kept(start["headers"])}
                        message = {**message, "body": b""}
                await send(start)
            await send(message)

        await self._app(scope, receive, conditional)


def etag_of(body: bytes) -> str:
    """Returns the weak ETag of an answer."""
    return f'W/"{hashlib.blake2b(body, digest_size=12).hexdigest()}"'


def matches(asked: Iterable[str], tag: str) -> bool:
    """True if an If-None-Match, given once or several times, names the tag: weakly compared, as the RFC wants it for GET."""
    opaque = tag.removeprefix("W/")
    given = {one.strip().removeprefix("W/") for header in asked for one in header.split(",")}
    return "*" in given or opaque in given


def _is_one_piece(start: Message) -> bool:
    """The answer has a known length, unlike a stream, which must begin at once, and no ETag of its own."""
    headers = Headers(raw=start["headers"])
    return bool(start["status"] == 200) and "content-length" in headers and "etag" not in headers


def _kept(headers: Iterable[tuple[bytes, bytes]]) -> list[tuple[bytes, bytes]]:
    return [(name, value) for name, value in headers if name.decode("latin-1").lower() in _KEPT]
