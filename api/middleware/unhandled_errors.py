# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Unforeseen exceptions: the answer is a problem document that reveals nothing internal, and the log has the traceback.

The framework would answer too, but outside all middleware here: its answer would lack the security headers.
"""

import structlog
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.base.problems import MEDIA_TYPE, InternalError

_log = structlog.get_logger()


class UnhandledErrors:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        started = False

        async def noting(message: Message) -> None:
            nonlocal started
            started = started or message["type"] == "http.response.start"
            await send(message)

        try:
            await self._app(scope, receive, noting)
        except Exception:
            if scope["type"] != "http":
                raise
            request_id = scope.get("request_id", "")
            _log.exception("request.bug", request_id=request_id, method=scope["method"], path=scope["path"])
            if started:
                raise  # half an answer is out: the connection is cut, so that nobody takes it for a whole one
            problem = InternalError("This is a bug of ibcc; please report it.", request_id=request_id)
            answer = JSONResponse(problem.document(scope["path"]), problem.status, media_type=MEDIA_TYPE)
            await answer(scope, receive, send)
