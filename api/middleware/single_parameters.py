# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A parameter of a query is given once: of two values, a proxy may have checked the one and the service
would take the other."""

from collections import Counter
from urllib.parse import parse_qsl

from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from api.base.problems import MEDIA_TYPE, BadRequest

SEVERAL = ("expand",)
"""Parameters that are lists; a test compares them with the OpenAPI document."""


class SingleParameters:
    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["query_string"]:
            names = Counter(name for name, _ in parse_qsl(scope["query_string"].decode("latin-1"), keep_blank_values=True))
            if repeated := sorted(name for name, count in names.items() if count > 1 and name not in SEVERAL):
                problem = BadRequest(f"The parameter {repeated[0]!r:.80} of the query is given more than once; give it once.")
                await JSONResponse(problem.document(scope["path"]), problem.status, media_type=MEDIA_TYPE)(scope, receive, send)
                return
        await self._app(scope, receive, send)
