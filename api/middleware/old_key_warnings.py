# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Warnings about old keys in a request, as headers `Warning: 299 ibcc "…"` of its answer (RFC 7234, section 5.5)."""

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from api.base.old_keys import WARNING
from tuner.document_base.renames import listening


class OldKeyWarnings:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        sentences: list[str] = []

        async def warning(message: Message) -> None:
            if message["type"] == "http.response.start" and sentences:
                values = [f'{WARNING}{sentence}"'.encode("ascii", "replace") for sentence in dict.fromkeys(sentences)]
                message["headers"] = [*message["headers"], *((b"warning", value) for value in values)]
            await send(message)

        with listening(sentences.append):
            await self._app(scope, receive, warning)
