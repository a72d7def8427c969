# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Requests for another host's name are refused: a page of another site that gives its own name loopback's address (DNS rebinding)
would otherwise read a service that listens on loopback only."""

from starlette.datastructures import Headers
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.base.problems import MEDIA_TYPE, BadRequest


class TrustedHost:
    """`hosts`: names without ports; `*` is any, `*.example.org` any below."""

    def __init__(self, app: ASGIApp, hosts: list[str]) -> None:
        self._app, self._hosts = app, [host.lower() for host in hosts]

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._trusts(_name(Headers(scope=scope).get("host", ""))):
            problem = BadRequest(
                "The header Host names another machine; add the name to the setting allowed_hosts if it is right."
            )
            answer = JSONResponse(problem.document(scope["path"]), problem.status, media_type=MEDIA_TYPE)
            await answer(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _trusts(self, name: str) -> bool:
        return any(host in ("*", name) or (host.startswith("*.") and name.endswith(host[1:])) for host in self._hosts)


def _name(host: str) -> str:
    """Without port and brackets."""
    if host.startswith("["):
        return host[1:].partition("]")[0].lower()
    return host.partition(":")[0].lower()
