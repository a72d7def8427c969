# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""The OpenAPI document: what clients are made from."""

from collections.abc import Iterator
from typing import Any

import jsonschema

from api.http.route_list import api_routes
from tests.api.service import Service


def operations(service: Service) -> Iterator[tuple[str, str, dict[str, Any]]]:
    for path, item in service.app.openapi()["paths"].items():
        for method, operation in item.items():
            yield method, path, operation


def test_operations_are_named_as_their_functions(service: Service) -> None:
    names = [operation["operationId"] for _, _, operation in operations(service)]
    assert sorted(names) == sorted({route.endpoint.__name__ for route in api_routes(service.app) if route.endpoint})
    assert len(names) == len(set(names))


def test_every_operation_says_what_it_is(service: Service) -> None:
    for method, path, operation in operations(service):
        assert operation.get("description", "").strip(), (method, path)


def test_every_no_is_a_problem_document(service: Service) -> None:
    shared = service.app.openapi()["components"]["responses"]
    assert all(list(answer["content"]) == ["application/problem+json"] for answer in shared.values())
    for method, path, operation in operations(service):
        for status, answer in operation["responses"].items():
            if int(status) >= 400:
                assert list(answer) == ["$ref"], (method, path, status)
                assert answer["$ref"].removeprefix("#/components/responses/") in shared, (method, path, status)
        refusable = (
            operation.get("x-role", "viewer") != "viewer" or "{fabric}" in path or (method != "get" and "x-role" in operation)
        )
        expected = {"401", "503"} if "x-role" in operation else set()
        expected |= {"403"} if refusable else set()
        assert expected <= operation["responses"].keys(), (method, path)


def test_bodies_have_examples_that_fit_them(service: Service) -> None:
    document = service.app.openapi()
    for method, path, operation in operations(service):
        if "application/json" not in operation.get("requestBody", {}).get("content", {}):
            continue
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        (reference,) = [one["$ref"] for one in schema.get("anyOf", [schema]) if "$ref" in one]  # or null: it may be left out
        resolved = document["components"]["schemas"][reference.rpartition("/")[2]]
        examples = resolved.get("examples")
        assert examples, f"{method} {path}: {resolved['title']} has no example"
        for example in examples:
            jsonschema.validate(example, {**resolved, "components": document["components"]})


def test_no_field_takes_a_url(service: Service) -> None:
    """The service opens no connection to where a request says: there is nothing to forge (SSRF)."""
    for name, schema in service.app.openapi()["components"]["schemas"].items():
        for field, what in schema.get("properties", {}).items():
            assert what.get("format") not in ("uri", "url", "hostname"), (name, field)
            assert "url" not in field.lower(), (name, field)


def test_it_needs_no_login_and_names_how_to_log_in(service: Service) -> None:
    answer = service.anonymous().get("/api/v1/openapi.json")
    assert answer.status_code == 200
    assert answer.json()["components"]["securitySchemes"].keys() == {"token", "session"}
