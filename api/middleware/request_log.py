# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""One line in the log for each request, and its metrics. Neither queries nor headers nor bodies are logged: they hold secrets."""

import time
from typing import Any

import structlog
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.base.identifiers import new_id

_log = structlog.get_logger()

_QUIET = ("/health", "/ready", "/metrics")
"""Probes ask every few seconds; they are logged on debug only."""


class RequestLog:
    def __init__(self, app: ASGIApp, state: Any) -> None:
        self._app, self._state = app, state

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        start = time.perf_counter()
        scope["request_id"] = new_id()
        status = 500

        async def noting(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message["headers"], (b"x-request-id", scope["request_id"].encode())]
                self._count(scope, status, time.perf_counter() - start)
            await send(message)

        try:
            await self._app(scope, receive, noting)
        finally:
            _log.log(
                10 if scope["path"] in _QUIET else 20,
                "request",
                request_id=scope["request_id"],
                method=scope["method"],
                path=scope["path"],
                status=status,
                ms=round((time.perf_counter() - start) * 1000, 1),
                client=scope["client"][0] if scope.get("client") else None,
            )

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        operation = getattr(scope.get("endpoint"), "__name__", "other")
        method = scope["method"] if scope["method"] in _METHODS else "other"
        metrics = self._state.metrics
        metrics.requests.labels(method, operation, str(status)).inc()
        metrics.request_seconds.labels(method, operation).observe(seconds)


_METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
