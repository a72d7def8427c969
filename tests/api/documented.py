# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The OpenAPI document as a promise: every answer that any test of the API gets has to be one that it lists."""

from collections.abc import Callable
from typing import Any

import httpx2
from fastapi import FastAPI

from api.app import api_routes
from api.problems import MEDIA_TYPE

BUG = 500
"""Answers of tests that break the service on purpose."""


def documented(app: FastAPI) -> Callable[[httpx2.Response], None]:
    """A hook for a client's responses, which fails for an answer that the operation does not list."""
    known: list[tuple[Any, set[str], dict[str, Any]]] = []

    def check(response: httpx2.Response) -> None:
        if not known:
            paths = app.openapi()["paths"]
            known.extend((route.path_regex, route.methods or set(), paths[route.path_format]) for route in api_routes(app))
        method, path = response.request.method, response.request.url.path
        listed = next((item for regex, methods, item in known if method in methods and regex.match(path)), None)
        if listed is None or response.status_code == BUG:
            return
        answers = listed[method.lower()]["responses"]
        where = f"{method} {path} answered {response.status_code}"
        assert str(response.status_code) in answers, f"{where}; the OpenAPI document lists {', '.join(answers)}"
        if response.status_code >= 400:
            assert response.headers["Content-Type"] == MEDIA_TYPE, where

    return check
