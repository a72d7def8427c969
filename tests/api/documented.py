# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The OpenAPI document as a promise: every answer that any test of the API gets has to be one that it lists."""

from collections.abc import Callable
from typing import Any

import httpx2
from fastapi import FastAPI

from api.base.problems import MEDIA_TYPE
from api.http.route_list import api_routes

BUG = 500
"""Answers of tests that break the service on purpose."""


_known: list[tuple[Any, set[str], dict[str, Any]]] = []
"""(path's expression, methods, what the document says of the path). Routes and answers are the code's, the same in every service,
and the document takes longer to make than most tests of a route."""


def documented(app: FastAPI) -> Callable[[httpx2.Response], None]:
    """A hook for a client's responses, which fails for an answer that the operation does not list."""

    def check(response: httpx2.Response) -> None:
        if not _known:
            paths = app.openapi()["paths"]
            _known.extend(
                (route.path_regex, route.methods or set(), paths[route.path_format])
                for route in api_routes(app)
                if route.path_format in paths  # one that a test has added is in no document
            )
        method, path = response.request.method, response.request.url.path
        listed = next((item for regex, methods, item in _known if method in methods and regex.match(path)), None)
        if listed is None or response.status_code == BUG:
            return
        answers = listed[method.lower()]["responses"]
        where = f"{method} {path} answered {response.status_code}"
        assert str(response.status_code) in answers, f"{where}; the OpenAPI document lists {', '.join(answers)}"
        if response.status_code in (201, 202):
            location = response.headers.get("Location", "")
            known = any(regex.match(location.partition("?")[0]) for regex, _, _ in _known)
            assert known, f"{where} with the Location {location!r}, which is no path of the API"
        answer = answers[str(response.status_code)]
        types = {MEDIA_TYPE: {}} if "$ref" in answer else answer.get("content", {})  # all that is shared is problems
        sent = response.headers.get("Content-Type", "").partition(";")[0]
        assert not types or sent in types, f"{where} as {sent!r}; the OpenAPI document lists {', '.join(types)}"
        assert response.status_code < 400 or sent == MEDIA_TYPE, where

    return check
