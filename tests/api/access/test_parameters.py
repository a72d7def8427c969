# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""Parameters that a route does not have."""

import re
from typing import Any

import pytest

from api.access.parameters import parameters_of
from api.http.route_list import api_routes
from tests.api.service import Service


@pytest.mark.parametrize(
    ("query", "detail"),
    [
        ("stat=done", "query.stat: there is no such parameter; did you mean 'state'? There are cursor, fabric, kind, "),
        ("frobnicate=1", "query.frobnicate: there is no such parameter; there are cursor, fabric, kind, limit and state."),
        ("State=done", "did you mean 'state'?"),
        ("=x", "query.: there is no such parameter"),
        ("%00" * 200, r"query.\u0000"),
    ],
)
def test_they_are_refused_in_a_sentence_that_names_those_there_are(service: Service, query: str, detail: str) -> None:
    answer = service.as_role("viewer").get(f"/api/v1/jobs?{query}")
    assert (answer.status_code, answer.json()["type"]) == (422, "/problems/invalid-input")
    assert detail in answer.json()["detail"]
    assert len(answer.json()["detail"]) < 600


def test_their_values_are_not_repeated(service: Service) -> None:
    answer = service.as_role("viewer").get("/api/v1/jobs?password=s3cret")
    assert (answer.status_code, "s3cret" in answer.text) == (422, False)


def test_the_openapi_document_takes_none(service: Service) -> None:
    answer = service.anonymous().get("/api/v1/openapi.json?version=2")
    assert (answer.status_code, answer.json()["errors"][0]["field"]) == (422, "query.version")
    assert service.anonymous().get("/api/v1/openapi.json").json()["openapi"].startswith("3.")


def test_a_filter_of_another_list_is_refused(service: Service) -> None:
    """It answered with everything, as if it had been looked for."""
    answer = service.as_role("operator").get("/api/v1/audit?who=nobody")
    assert (answer.status_code, "There are" in answer.text or "there are" in answer.text) == (422, True)


@pytest.mark.long
def test_every_operation_refuses_them_after_it_has_asked_who_calls(service: Service) -> None:
    """Whoever may not call learns nothing more; whoever may gets 422 before anything is done."""
    admin, anonymous = service.as_role("admin"), service.anonymous()
    called = 0
    for route in api_routes(service.app):
        path = re.sub(r"\{[^}]+\}", "0", route.path_format or "")
        for method in sorted(route.methods or ()):
            called += 1
            answer = admin.request(method, f"{path}?frobnicate=1")
            assert (answer.status_code, "frobnicate" in answer.text) == (422, True), (method, path, answer.text)
            answer = anonymous.request(method, f"{path}?frobnicate=1")
            assert answer.status_code in (401, 422), (method, path, answer.text)
    assert called > 60


def test_the_document_and_the_check_know_the_same_parameters(service: Service) -> None:
    paths = service.app.openapi()["paths"]
    for route in api_routes(service.app):
        for method in route.methods or ():
            operation: dict[str, Any] = paths[route.path_format][method.lower()]
            named = {one["name"] for one in operation.get("parameters", []) if one["in"] == "query"}
            assert parameters_of(route.dependant) == named, (method, route.path_format)
            assert operation["responses"]["422"] == {"$ref": "#/components/responses/InvalidInput"}
