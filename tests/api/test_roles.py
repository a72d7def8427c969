# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Who may call what: every route declares a role, and keeps to it. A new route is in these tests without being named here."""

import re
from typing import Any

import pytest
from fastapi import APIRouter, FastAPI

from api.access.dependencies import declared_role
from api.access.roles import Role
from api.http.route_list import api_routes
from api.server.app import _require_roles
from tests.api.service import Service

OPEN = {
    ("GET", "/health"),
    ("GET", "/ready"),
    ("GET", "/metrics"),  # asks for a viewer itself, unless the setting open_metrics says otherwise
    ("GET", "/problems/{name}"),
    ("GET", "/api/v1/version"),
    ("GET", "/api/v1/setup"),
    ("POST", "/api/v1/setup"),
    ("POST", "/api/v1/session"),
    ("POST", "/api/v1/welcome"),  # with the secret of a link
}
"""All that may be called by anybody: what is added here is a decision about security."""


def path_of(route: Any) -> str:
    """With something that is nowhere in place of the parameters."""
    return re.sub(r"\{[^}]+\}", "0", route.path_format)


def routes_of(service: Service) -> list[tuple[str, Any, Role | None]]:
    return [
        (method, route, declared_role(route.dependant))
        for route in api_routes(service.app)
        for method in sorted(route.methods or ())
    ]


def test_only_these_routes_are_open(service: Service) -> None:
    assert {(method, route.path_format) for method, route, role in routes_of(service) if role is None} == OPEN


@pytest.mark.long
def test_unauthenticated_requests_are_refused_everywhere(service: Service) -> None:
    client = service.anonymous()
    for method, route, role in routes_of(service):
        if role is None:
            continue
        answer = client.request(method, path_of(route))
        assert answer.status_code == 401, (method, route.path_format, answer.text)
        assert answer.json()["type"] == "/problems/unauthenticated"
        assert "Bearer" in answer.headers["WWW-Authenticate"]


@pytest.mark.long
@pytest.mark.parametrize("role", list(Role))
def test_each_role_may_call_what_it_covers_and_nothing_else(service: Service, role: Role) -> None:
    client = service.as_role(role)
    called = 0
    for method, route, needed in routes_of(service):
        if needed is None or route.path_format.endswith("/events"):  # a stream does not end; it has tests of its own
            continue
        called += 1
        # Without a body and with identifiers that do not exist: what is allowed fails later, for another reason.
        answer = client.request(method, path_of(route))
        refused = answer.status_code == 403 and "needs the role" in answer.json()["detail"]
        assert refused == (not role.covers(needed)), (method, route.path_format, str(needed), answer.status_code, answer.text)
    assert called > 10


def test_a_route_without_a_role_keeps_the_service_from_starting() -> None:
    app, router = FastAPI(), APIRouter()
    router.add_api_route("/forgotten", lambda: None, methods=["GET"])
    app.include_router(router, prefix="/api/v1")
    with pytest.raises(AssertionError, match="/api/v1/forgotten.*Viewer, Operator, Admin and Open"):
        _require_roles(app)
