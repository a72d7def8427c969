# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Lists the routes of an application's API."""

from collections.abc import Iterator

from fastapi import FastAPI
from fastapi.routing import APIRoute, RouteContext, iter_route_contexts


def api_routes(app: FastAPI) -> Iterator[RouteContext]:
    """All routes of the API: each has `path`, `methods`, `endpoint` and `dependant`."""
    for context in iter_route_contexts(app.routes):
        if isinstance(context.original_route, APIRoute):
            yield context
