# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Bodies have a largest size: said in Content-Length, it is refused at once; sent in pieces, as soon as there are too many.

Of somebody unknown, a small one. Where a route asks for a role, the sender is asked for before the first byte is read: FastAPI
reads and parses a body before it asks for dependencies, and strangers would keep it busy.
"""

import re

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.access.dependencies import authenticate, declared_role
from api.base.problems import MEDIA_TYPE, TooLarge
from api.middleware.refused_body import RefusedBodyError

STRANGERS_BYTES = 64 * 2**10
"""Largest body of a request that everybody may send, such as a login."""


class BodyLimit:
    def __init__(self, app: ASGIApp, limit_bytes: int, uploads: re.Pattern[str], upload_limit_bytes: int) -> None:
        """`uploads`: paths whose bodies are files, which have a limit of their own."""
        self._app, self._limit_bytes = app, limit_bytes
        self._uploads, self._upload_limit_bytes = uploads, upload_limit_bytes

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        limit_bytes = self._upload_limit_bytes if self._uploads.fullmatch(scope["path"]) else self._limit_bytes
        said = dict(scope["headers"]).get(b"content-length", b"")
        said_bytes = int(said) if said.isdigit() and len(said) < 20 else 0
        if said_bytes > limit_bytes:
            problem = _too_large(said_bytes, limit_bytes)
            answer = JSONResponse(problem.document(scope["path"]), problem.status, media_type=MEDIA_TYPE)
            await answer(scope, receive, send)
            return
        received_bytes, asked = 0, False

        async def counting() -> Message:
            nonlocal received_bytes, asked, limit_bytes
            if not asked:
                asked = True
                if not await _is_known(scope):
                    limit_bytes = min(limit_bytes, STRANGERS_BYTES)
                    if said_bytes > limit_bytes:
                        raise RefusedBodyError(_too_large(said_bytes, limit_bytes))
            message = await receive()
            received_bytes += len(message.get("body", b""))
            if received_bytes > limit_bytes:
                raise RefusedBodyError(TooLarge(f"The body has more than {limit_bytes} bytes, the most that are accepted."))
            return message

        await self._app(scope, counting, send)


async def _is_known(scope: Scope) -> bool:
    """Whether the body comes from somebody known; False where everybody may send one. Raises RefusedBodyError."""
    dependant = getattr(scope.get("route"), "dependant", None)
    if dependant is None or declared_role(dependant) is None:
        return False
    try:
        await run_in_threadpool(authenticate, Request(scope))
    except Exception as error:
        raise RefusedBodyError(error) from error
    return True


def _too_large(given_bytes: int, limit_bytes: int) -> TooLarge:
    return TooLarge(f"The body has {given_bytes} bytes; at most {limit_bytes} are accepted.")
