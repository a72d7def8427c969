# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Bodies have a largest size: said in Content-Length, it is refused at once; sent in pieces, as soon as there are too many."""

import re

from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.problems import MEDIA_TYPE, TooLarge


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
        if said.isdigit() and int(said) > limit_bytes:
            problem = TooLarge(f"The body has {int(said)} bytes; at most {limit_bytes} are accepted.")
            answer = JSONResponse(problem.document(scope["path"]), problem.status, media_type=MEDIA_TYPE)
            await answer(scope, receive, send)
            return
        received_bytes = 0

        async def counting() -> Message:
            nonlocal received_bytes
            message = await receive()
            received_bytes += len(message.get("body", b""))
            if received_bytes > limit_bytes:
                # FastAPI passes on this kind of exception only; `api.problem_answers` makes the document.
                raise HTTPException(TooLarge.status)
            return message

        await self._app(scope, counting, send)
